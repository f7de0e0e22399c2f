package io.recallgate.bench.conversation;

import io.recallgate.gateway.conversation.History;
import io.recallgate.gateway.conversation.Rendering;
import io.recallgate.gateway.conversation.assemble.Splice;
import io.recallgate.gateway.conversation.fit.FitBudget;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.Fitter;
import io.recallgate.gateway.conversation.fit.TokenCache;
import io.recallgate.gateway.conversation.fit.TokenCounter;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Reads, fits and writes random agents' conversations on one thread, and prints the median of each step. With the directory {@code
 * gateway} as the working directory and the class path of its tests: {@code java -cp …
 * io.recallgate.bench.conversation.ConversationBench [TURNS]}.
 */
public final class ConversationBench {

    private static final int WARM_UP_ROUNDS = 20;
    private static final int ROUNDS = 21;
    private static final int DEFAULT_TURNS = 2_000;
    private static final int WINDOW_TOKENS = 120_000;

    private ConversationBench() {}

    /** @param args how many turns a conversation has */
    public static void main(String[] args) throws Exception {
        int turns = args.length == 0 ? DEFAULT_TURNS : Integer.parseInt(args[0]);
        for (Protocol protocol : Protocol.values()) {
            History history = History.of(protocol, turns, new Random(1));
            RequestBody body = Rendering.plain().body(protocol, history.messages());
            Transcript transcript = Transcript.parse(protocol, body);
            System.out.printf(
                    Locale.ROOT, "%s: %d messages, %.1f MB%n", protocol, transcript.size(), body.length() / 1e6);
            print("read with its chain", body.length(), () -> Transcript.parse(protocol, body));
            held(protocol, body);
            for (Tokenizer tokenizer : new Tokenizer[] {Tokenizer.ESTIMATE, Tokenizer.O200K}) {
                FitBudget budget = new FitBudget(WINDOW_TOKENS, 0);
                TokenCounter counting = new TokenCounter(tokenizer, new TokenCache(0));
                TokenCounter cached = new TokenCounter(tokenizer, new TokenCache(20_000));
                print("fit, " + tokenizer, 0, () -> new Fitter(counting, () -> false).fit(transcript, budget, null));
                print("fit again, " + tokenizer, 0, () -> new Fitter(cached, () -> false)
                        .fit(transcript, budget, null));
            }
            FitPlan plan = (FitPlan) Fitter.longestSafeSuffix(transcript, new FitBudget(WINDOW_TOKENS, 0));
            print(
                    "suffix without time",
                    0,
                    () -> Fitter.longestSafeSuffix(transcript, new FitBudget(WINDOW_TOKENS, 0)));
            print("splice", 0, () -> Splice.of(transcript, plan, new TreeMap<>()));
        }
    }

    private static void print(String what, int bytes, Callable<?> step) throws Exception {
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            step.call();
        }
        long[] nanos = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long start = System.nanoTime();
            step.call();
            nanos[i] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        double millis = nanos[ROUNDS / 2] / (double) TimeUnit.MILLISECONDS.toNanos(1);
        String rate = bytes == 0 ? "" : String.format(Locale.ROOT, ", %.0f MB/s", bytes / 1e3 / millis);
        System.out.printf(Locale.ROOT, "  %-24s %8.2f ms%s%n", what, millis, rate);
    }

    /** What a transcript holds beside the body. */
    private static void held(Protocol protocol, RequestBody body) {
        Transcript[] all = new Transcript[10];
        long before = used();
        for (int i = 0; i < all.length; i++) {
            all[i] = Transcript.parse(protocol, body);
        }
        long held = (used() - before) / all.length;
        System.out.printf(Locale.ROOT, "  %-24s %8d bytes a message%n", "held beside the body", held / all[0].size());
    }

    private static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
