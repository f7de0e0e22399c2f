package io.recallgate.gateway.http.conversation;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.metrics.GatewayMetric;
import io.recallgate.metrics.Meters;
import java.time.Duration;

/** Meters of conversations. */
final class TurnMetrics {

    private final Meters meters;

    TurnMetrics(MeterRegistry registry) {
        this.meters = new Meters(registry);
        GatewayMetric.TURNS.all(registry);
        GatewayMetric.TURN_PHASE_DURATION.all(registry);
        GatewayMetric.TURN_PREPARATIONS.all(registry);
        GatewayMetric.UPSTREAM_REQUESTS.all(registry);
        GatewayMetric.UPSTREAM_FIRST_BYTE.all(registry);
    }

    /** A turn is over. */
    void ended(Protocol protocol, TurnOutcome outcome, PhaseRun run) {
        meters.counter(GatewayMetric.TURNS, label(protocol), outcome.label()).increment();
        run.spans().forEach((phase, nanos) -> meters.timer(
                        GatewayMetric.TURN_PHASE_DURATION, label(protocol), phase.label())
                .record(span(nanos)));
    }

    /** A turn is ready to be sent. */
    void prepared(Protocol protocol, PreparedTurn turn) {
        meters.counter(
                        GatewayMetric.TURN_PREPARATIONS,
                        label(protocol),
                        turn.labels().getOrDefault(TurnLabels.WINDOW, "none"),
                        Boolean.toString(turn.labels().containsKey(TurnLabels.DEGRADED)))
                .increment();
        String degraded = turn.labels().get(TurnLabels.DEGRADED);
        if (degraded != null) {
            for (String reason : degraded.split(",", -1)) {
                meters.counter(GatewayMetric.TURN_DEGRADED, label(protocol), reason)
                        .increment();
            }
        }
    }

    /** A turn whose answer was accepted was remembered, or was not. */
    void committed(Protocol protocol, String outcome) {
        meters.counter(GatewayMetric.TURN_COMMITS, label(protocol), outcome).increment();
    }

    /** A provider answered. */
    void answered(Protocol protocol, int status, long nanos) {
        meters.counter(GatewayMetric.UPSTREAM_ANSWERS, label(protocol), Integer.toString(status))
                .increment();
        meters.timer(GatewayMetric.UPSTREAM_FIRST_BYTE, label(protocol)).record(span(nanos));
    }

    /** A request to a provider is over. */
    void upstream(Protocol protocol, TurnOutcome outcome, long nanos) {
        meters.timer(GatewayMetric.UPSTREAM_DURATION, label(protocol), outcome.label())
                .record(span(nanos));
        meters.counter(GatewayMetric.UPSTREAM_REQUESTS, label(protocol), outcome.label())
                .increment();
    }

    private static Duration span(long nanos) {
        return Duration.ofNanos(Math.max(0, nanos));
    }

    private static String label(Protocol protocol) {
        return protocol.label();
    }
}
