package io.recallgate.gateway.http.conversation;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.metrics.GatewayMetric;
import java.time.Duration;
import java.util.Locale;

/** Meters of conversations. */
final class TurnMetrics {

    private final MeterRegistry registry;

    TurnMetrics(MeterRegistry registry) {
        this.registry = registry;
        GatewayMetric.TURNS.all(registry);
        GatewayMetric.TURN_PHASE_DURATION.all(registry);
        GatewayMetric.TURN_PREPARATIONS.all(registry);
        GatewayMetric.UPSTREAM_REQUESTS.all(registry);
        GatewayMetric.UPSTREAM_FIRST_BYTE.all(registry);
    }

    /** A turn is over. */
    void ended(Protocol protocol, TurnOutcome outcome, PhaseRun run) {
        GatewayMetric.TURNS.counter(registry, label(protocol), outcome.label()).increment();
        run.spans().forEach((phase, nanos) -> GatewayMetric.TURN_PHASE_DURATION
                .timer(registry, label(protocol), phase.label())
                .record(span(nanos)));
    }

    /** A turn is ready to be sent. */
    void prepared(Protocol protocol, PreparedTurn turn) {
        GatewayMetric.TURN_PREPARATIONS
                .counter(
                        registry,
                        label(protocol),
                        turn.labels().getOrDefault(TurnLabels.WINDOW, "none"),
                        Boolean.toString(turn.labels().containsKey(TurnLabels.DEGRADED)))
                .increment();
        String degraded = turn.labels().get(TurnLabels.DEGRADED);
        if (degraded != null) {
            for (String reason : degraded.split(",", -1)) {
                GatewayMetric.TURN_DEGRADED
                        .counter(registry, label(protocol), reason)
                        .increment();
            }
        }
    }

    /** A turn whose answer was accepted was remembered, or was not. */
    void committed(Protocol protocol, String outcome) {
        GatewayMetric.TURN_COMMITS.counter(registry, label(protocol), outcome).increment();
    }

    /** A provider answered. */
    void answered(Protocol protocol, int status, long nanos) {
        GatewayMetric.UPSTREAM_ANSWERS
                .counter(registry, label(protocol), Integer.toString(status))
                .increment();
        GatewayMetric.UPSTREAM_FIRST_BYTE.timer(registry, label(protocol)).record(span(nanos));
    }

    /** A request to a provider is over. */
    void upstream(Protocol protocol, TurnOutcome outcome, long nanos) {
        GatewayMetric.UPSTREAM_DURATION
                .timer(registry, label(protocol), outcome.label())
                .record(span(nanos));
        GatewayMetric.UPSTREAM_REQUESTS
                .counter(registry, label(protocol), outcome.label())
                .increment();
    }

    private static Duration span(long nanos) {
        return Duration.ofNanos(Math.max(0, nanos));
    }

    private static String label(Protocol protocol) {
        return protocol.name().toLowerCase(Locale.ROOT);
    }
}
