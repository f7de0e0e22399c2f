package io.recallgate.gateway.http.pipeline;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.http.access.KeyRing;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;

/**
 * What the HTTP side needs from around it.
 *
 * @param clock deadlines and measured spans
 * @param timers body deadlines and the lag sampler
 * @param registry where its meters are registered and what {@code GET /metrics} shows
 * @param keys who may call
 */
public record HttpEnvironment(Clock clock, Timers timers, PrometheusMeterRegistry registry, KeyRing keys) {}
