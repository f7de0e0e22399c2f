package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.bench.CallLoad.Call;
import io.recallgate.gateway.cli.bench.CallLoad.Outcomes;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.measure.Spans;
import io.recallgate.time.Clock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How well the bounds of recall hold before a provider that stalls: the embedding's limit, a request's own deadline, and
 * the breaker. Used by one thread.
 */
public final class StalledBench {

    /** The default of {@code EMBEDDING_TIMEOUT_MS}. */
    public static final int LIMIT_MILLIS = 2_500;

    /** What is asked for with {@code deadline_ms}. */
    public static final int DEADLINE_MILLIS = 300;

    private static final int CLIENTS = 8;
    private static final double SHARE = 0.2;

    /**
     * So that it is stalls that are measured, and not the wait for a connection that a stall holds: more than clients, and
     * given back as soon as nobody waits.
     */
    private static final Map<String, String> CONNECTIONS = Map.of(
            "RECALLGATE_EMBEDDING_CONNECTIONS", "16",
            "RECALLGATE_EMBEDDING_CANCELS_ON_DISCONNECT", "true");

    /** Keeps the breaker closed, however many stalls there are in a row. */
    private static final int NEVER = 1_000;

    /** Keeps it open for longer than this takes. */
    private static final int BACKOFF_MILLIS = 3_600_000;

    private final Screen screen;
    private final Clock clock;
    private final Pauses pauses;

    /** @param screen for progress */
    public StalledBench(Screen screen, Clock clock, Pauses pauses) {
        this.screen = screen;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * What to do.
     *
     * @param recalls with the limit alone, and five times as many with a deadline
     * @param rounds of one hybrid and one lexical recall while the breaker is open
     * @param stallMillis how long a question stalls
     * @param memories there are
     * @param seed of texts, questions and stalls
     */
    public record Plan(int recalls, int rounds, int stallMillis, int memories, long seed) {}

    /**
     * Hybrid recalls of one kind.
     *
     * @param spans of whole requests
     * @param reasons how many were served as less, by reason
     */
    public record Bounded(Spans spans, Map<String, Integer> reasons) {
        /** Copies the map. */
        public Bounded {
            reasons = Map.copyOf(reasons);
        }

        private static Bounded of(Outcomes outcomes) {
            return new Bounded(outcomes.spans(call -> call.mode().equals("hybrid")), outcomes.reasons());
        }
    }

    /**
     * What was measured.
     *
     * @param limit with the embedding's limit alone
     * @param deadline with a deadline of the request
     * @param open while the breaker is open
     * @param lexical in turns with those
     */
    public record Result(Bounded limit, Bounded deadline, Bounded open, Spans lexical) {}

    /**
     * Measures.
     *
     * @param directory for the gateways' data, empty
     * @throws CommandFailedException if a gateway does not come up, or a recall is not answered
     */
    public Result run(Path directory, Plan plan) {
        try (StallingProvider provider = StallingProvider.start(plan.seed())) {
            RemoteGateways gateways = new RemoteGateways(
                    screen,
                    clock,
                    pauses,
                    directory,
                    provider,
                    new RemoteGateways.Contents(plan.memories(), Math.min(300, plan.rounds()), plan.seed()));
            List<Bounded> bounded = gateways.measure(
                    "breaker off",
                    with(Map.of("RECALLGATE_EMBEDDING_BREAKER_EXPIRIES", Integer.toString(NEVER))),
                    load -> {
                        provider.stall(SHARE, plan.stallMillis());
                        return List.of(
                                Bounded.of(send("limit", load, hybrid(plan, plan.recalls(), null), CLIENTS)),
                                Bounded.of(send(
                                        "deadline",
                                        load,
                                        hybrid(plan, 5 * plan.recalls(), (long) DEADLINE_MILLIS),
                                        CLIENTS)));
                    });
            Outcomes open = gateways.measure(
                    "breaker open",
                    with(Map.of(
                            "RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MS", Integer.toString(BACKOFF_MILLIS),
                            "RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MAX_MS", Integer.toString(BACKOFF_MILLIS))),
                    load -> {
                        provider.stall(1, plan.stallMillis());
                        send("opening", load, hybrid(plan, CLIENTS, null), CLIENTS);
                        return send("in turns", load, turns(plan), 1);
                    });
            return new Result(bounded.get(0), bounded.get(1), Bounded.of(open), open.spans(call -> call.mode()
                    .equals("lexical")));
        }
    }

    private static Map<String, String> with(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(CONNECTIONS);
        all.putAll(settings);
        return all;
    }

    private Outcomes send(String name, CallLoad load, List<Call> calls, int clients) {
        try (Progress progress = new Progress(screen, clock, name)) {
            return load.run(calls, clients, progress);
        }
    }

    private static List<Call> hybrid(Plan plan, int count, @Nullable Long deadlineMillis) {
        SyntheticMemories questions = new SyntheticMemories(plan.seed() + 1, 0);
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(new Call("hybrid", questions.question() + " " + i, deadlineMillis, false, 0));
        }
        return calls;
    }

    private static List<Call> turns(Plan plan) {
        SyntheticMemories questions = new SyntheticMemories(plan.seed() + 1, 0);
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < plan.rounds(); i++) {
            String question = questions.question() + " " + i;
            calls.add(new Call("hybrid", question, null, false, 0));
            calls.add(new Call("lexical", question, null, false, 0));
        }
        return calls;
    }
}
