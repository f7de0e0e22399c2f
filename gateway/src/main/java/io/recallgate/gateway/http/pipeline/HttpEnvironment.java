package io.recallgate.gateway.http.pipeline;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.config.ApiKeys;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the HTTP side needs from around it.
 *
 * @param clock deadlines and measured spans
 * @param timers body deadlines and the lag sampler
 * @param registry where its meters are registered and what {@code GET /metrics} shows
 * @param keys who may call, asked on each request; null when none are configured: then every caller is the local owner with every right
 * @param localName the loopback name that is listened on: without keys only requests to it or to another loopback name
 *     are served, so that no web page gets in; null where somebody else's server decides who may call
 */
public record HttpEnvironment(
        Clock clock,
        Timers timers,
        PrometheusMeterRegistry registry,
        @Nullable Supplier<ApiKeys> keys,
        @Nullable String localName) {}
