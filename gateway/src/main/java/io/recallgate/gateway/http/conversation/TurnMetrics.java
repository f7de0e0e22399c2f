package io.recallgate.gateway.http.conversation;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import java.time.Duration;
import java.util.Locale;

/** Meters of conversations. Labels are of closed sets: never an id, a session, a model or an owner. */
final class TurnMetrics {

    private final MeterRegistry registry;

    TurnMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** A turn is over. */
    void ended(Protocol protocol, TurnOutcome outcome, PhaseRun run) {
        count("recallgate.turns", "Conversation turns, by how they ended", protocol, "outcome", outcome.label());
        run.spans().forEach((phase, nanos) -> Timer.builder("recallgate.turn.phase.duration")
                .description("What the phases of turns took")
                .tag("protocol", label(protocol))
                .tag("phase", phase.label())
                .register(registry)
                .record(Duration.ofNanos(Math.max(0, nanos))));
    }

    /** A turn is ready to be sent. */
    void prepared(Protocol protocol, PreparedTurn turn) {
        Counter.builder("recallgate.turn.preparations")
                .description("Prepared turns, by the window that is sent and whether memory was left out")
                .tag("protocol", label(protocol))
                .tag("window", turn.labels().getOrDefault(TurnLabels.WINDOW, "none"))
                .tag("degraded", Boolean.toString(turn.labels().containsKey(TurnLabels.DEGRADED)))
                .register(registry)
                .increment();
    }

    /** A turn whose answer was accepted was remembered, or was not. */
    void committed(Protocol protocol, String outcome) {
        count("recallgate.turn.commits", "Turns that were to be remembered", protocol, "outcome", outcome);
    }

    /** A provider answered. */
    void answered(Protocol protocol, int status, long nanos) {
        count(
                "recallgate.upstream.answers",
                "Answers of providers, by status",
                protocol,
                "status",
                Integer.toString(status));
        Timer.builder("recallgate.upstream.first.byte")
                .description("From sending to the head of the provider's answer")
                .tag("protocol", label(protocol))
                .register(registry)
                .record(Duration.ofNanos(Math.max(0, nanos)));
    }

    /** A request to a provider is over. */
    void upstream(Protocol protocol, TurnOutcome outcome) {
        count("recallgate.upstream.requests", "Requests to providers", protocol, "outcome", outcome.label());
    }

    private void count(String name, String about, Protocol protocol, String tag, String value) {
        Counter.builder(name)
                .description(about)
                .tag("protocol", label(protocol))
                .tag(tag, value)
                .register(registry)
                .increment();
    }

    private static String label(Protocol protocol) {
        return protocol.name().toLowerCase(Locale.ROOT);
    }
}
