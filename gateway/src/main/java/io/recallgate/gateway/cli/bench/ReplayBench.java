package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.bench.CallLoad.Call;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.measure.Spans;
import io.recallgate.time.Clock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Replays two weeks of recalls, in the mix that an operator of another memory server has published, before an embedding
 * provider that stalls now and then: once with embeddings waited for as that server did, once with this gateway's
 * defaults. Used by one thread.
 */
public final class ReplayBench {

    /** The published mix: 2,404 recalls in 14 days. */
    public static final int LEXICAL = 844;

    /** See {@link #LEXICAL}. */
    public static final int STRICT = 144;

    /** See {@link #LEXICAL}. */
    public static final int HYBRID = 1_416;

    /** In which they were made. */
    public static final int DAYS = 14;

    /** Also published: so many questions were asked again within ten minutes. */
    private static final double AGAIN = 0.23;

    /** Above every stall: what waits for it waits as long as it takes. */
    private static final int UNBOUNDED_MILLIS = 15_000;

    /** More than there are stalls in a row: the breaker stays closed. */
    private static final int NEVER = 1_000;

    /**
     * Recalls that came minutes apart come milliseconds apart here, so stalls that would not have met do; with fewer
     * connections they would keep each other waiting.
     */
    private static final int CONNECTIONS = 256;

    private final Screen screen;
    private final Clock clock;
    private final Pauses pauses;

    /** @param screen for progress */
    public ReplayBench(Screen screen, Clock clock, Pauses pauses) {
        this.screen = screen;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * What to do.
     *
     * @param calls recalls in all, in the mix
     * @param seconds in which they are sent
     * @param clients that send them
     * @param share of the embeddings of questions that stall
     * @param stallMillis how long
     * @param memories there are
     * @param seed of texts, questions, their order and their stalls
     */
    public record Plan(int calls, int seconds, int clients, double share, int stallMillis, int memories, long seed) {}

    /**
     * One replay.
     *
     * @param byMode spans of whole requests, by mode, and of all of them
     * @param reasons how many hybrid recalls were served as less, by reason
     * @param asked questions that reached the provider
     * @param stalled those of them that stalled
     * @param lateMillis the most that a call was sent after it was due
     */
    public record Replay(
            Map<String, Spans> byMode, Map<String, Integer> reasons, int asked, int stalled, double lateMillis) {

        /** Copies the maps. */
        public Replay {
            byMode = Map.copyOf(byMode);
            reasons = Map.copyOf(reasons);
        }

        /** Recalls that were served as less. */
        public int degraded() {
            return reasons.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** Spans of one mode, or of {@code all}. */
        public Spans spans(String mode) {
            return byMode.getOrDefault(mode, new Spans());
        }
    }

    /**
     * Both.
     *
     * @param before with embeddings waited for
     * @param after with the defaults
     */
    public record Result(Replay before, Replay after) {}

    /**
     * Replays twice.
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
                    new RemoteGateways.Contents(plan.memories(), Math.min(200, plan.calls()), plan.seed()));
            String connections = Integer.toString(CONNECTIONS);
            Replay before = gateways.measure(
                    "before",
                    Map.of(
                            "EMBEDDING_TIMEOUT_MS", Integer.toString(UNBOUNDED_MILLIS),
                            "RECALLGATE_EMBEDDING_BREAKER_EXPIRIES", Integer.toString(NEVER),
                            "RECALLGATE_EMBEDDING_CONNECTIONS", connections),
                    load -> replay("before", load, provider, plan, false));
            Replay after = gateways.measure(
                    "after",
                    Map.of("RECALLGATE_EMBEDDING_CONNECTIONS", connections),
                    load -> replay("after", load, provider, plan, true));
            return new Result(before, after);
        }
    }

    private Replay replay(String name, CallLoad load, StallingProvider provider, Plan plan, boolean memo) {
        provider.stall(plan.share(), plan.stallMillis());
        CallLoad.Outcomes outcomes;
        try (Progress progress = new Progress(screen, clock, name + ", replaying")) {
            outcomes = load.run(calls(plan, memo), plan.clients(), progress);
        }
        Map<String, Spans> byMode = new HashMap<>();
        for (String mode : List.of("lexical", "strict", "hybrid")) {
            byMode.put(mode, outcomes.spans(call -> call.mode().equals(mode)));
        }
        byMode.put("all", outcomes.spans(call -> true));
        return new Replay(byMode, outcomes.reasons(), provider.questions(), provider.stalled(), outcomes.lateMillis());
    }

    /** Mixed in an order and at moments that the seed decides. */
    static List<Call> calls(Plan plan, boolean memo) {
        Random random = new Random(plan.seed());
        int all = LEXICAL + STRICT + HYBRID;
        int lexical = Math.round((float) plan.calls() * LEXICAL / all);
        int strict = Math.round((float) plan.calls() * STRICT / all);
        List<String> modes = new ArrayList<>();
        for (int i = 0; i < plan.calls(); i++) {
            modes.add(i < lexical ? "lexical" : i < lexical + strict ? "strict" : "hybrid");
        }
        Collections.shuffle(modes, random);
        long[] due = random.longs(plan.calls(), 0, TimeUnit.SECONDS.toNanos(plan.seconds()))
                .toArray();
        Arrays.sort(due);
        SyntheticMemories questions = new SyntheticMemories(plan.seed() + 1, 0);
        String last = "";
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < plan.calls(); i++) {
            boolean hybrid = modes.get(i).equals("hybrid");
            boolean again = hybrid && !last.isEmpty() && random.nextDouble() < AGAIN;
            // Numbered, since made-up questions are few and would come again more often than they should.
            String question = again ? last : questions.question() + " " + i;
            if (hybrid) {
                last = question;
            }
            calls.add(new Call(modes.get(i), question, null, memo, Math.max(1, due[i])));
        }
        return calls;
    }
}
