package io.recallgate.gateway.cli.bench.sessions;

import java.util.List;
import java.util.Map;

/**
 * One answered request.
 *
 * @param kind what the gateway knew of its session
 * @param messages that it has, as its session was planned
 * @param phases as the gateway tells them, in milliseconds
 * @param upstreamMillis from the decoded body until the provider had the last byte
 * @param windowTokens of the messages that were sent, about
 * @param window that was sent
 * @param degraded what was left out, empty for nothing
 */
record TurnSample(
        Kind kind,
        int messages,
        Map<String, Double> phases,
        double upstreamMillis,
        int windowTokens,
        String window,
        String degraded) {

    /** Copies the map. */
    TurnSample {
        phases = Map.copyOf(phases);
    }

    /** What the gateway knew. */
    enum Kind {
        /** Nothing: it is the first request of its session. */
        COLD,
        /** What its database has: it is the first after a start of the process. */
        FRESH,
        /** It had the last one too. */
        WARM
    }

    /** Of memory; all before the body is decoded and all after it is sent are others'. */
    static final List<String> PREPARATION = List.of("identify", "select", "fit", "assemble");

    static TurnSample of(Kind kind, int messages, TurnClient.TurnAnswer answer, int windowTokens) {
        Map<String, Double> phases = answer.phases();
        double millis = Math.max(0, phases.getOrDefault("forward", 0.0) - answer.heldMillis());
        for (String phase : PREPARATION) {
            millis += phases.getOrDefault(phase, 0.0);
        }
        return new TurnSample(
                kind,
                messages,
                phases,
                millis,
                windowTokens,
                answer.header("x-recallgate-window"),
                answer.header("x-recallgate-degraded"));
    }
}
