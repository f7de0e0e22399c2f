package io.recallgate.gateway.http.pipeline;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.config.ApiKeys;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import org.jspecify.annotations.Nullable;

/**
 * What the HTTP side needs from around it.
 *
 * @param clock deadlines and measured spans
 * @param timers body deadlines and the lag sampler
 * @param registry where its meters are registered and what {@code GET /metrics} shows
 * @param keys who may call; null when none are configured: then every caller is the local owner with every right
 */
public record HttpEnvironment(
        Clock clock,
        Timers timers,
        PrometheusMeterRegistry registry,
        @Nullable ApiKeys keys) {}
