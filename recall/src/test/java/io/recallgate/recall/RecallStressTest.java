package io.recallgate.recall;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.EmbeddingOptions;
import io.recallgate.embedding.EmbeddingVerticle;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thousand memories, with recalls and embeddings beside them that are given up at random, on the real model and a real
 * database in one process. The seed decides who asks what and when they leave, not how threads meet.
 */
@Tag("long")
@Timeout(900)
class RecallStressTest {

    private static final int MEMORIES = 1_000;

    /** Callers at once, each with its own sequence of calls. */
    private static final int CALLERS = 6;

    private static final List<RecallMode> MODES = List.of(RecallMode.HYBRID, RecallMode.LEXICAL, RecallMode.STRICT);

    private static final String[] WORDS = {
        "piano", "invoice", "Kyoto", "harbour", "lantern", "meeting", "Ana", "retrospective", "garden", "user_id",
        "deadline", "train", "soup", "observatory", "blue", "letter", "京都", "ticket", "mountain", "violin"
    };

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final CountingTimers timers = new CountingTimers(new VertxTimers(vertx));
    private final EmbeddingVerticle pool = new EmbeddingVerticle(
            EmbeddingOptions.defaults(RealModel.NAME, RealModel.dataDirectory(), 2)
                    .withoutPublicAddresses(),
            meters);

    /** How many calls ended in which way. */
    private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);

    private enum Outcome {
        ANSWERED,
        GIVEN_UP,
        LATE,
        BUSY,
        WRONG
    }

    @Test
    void aThousandMemoriesAreEmbeddedOnceWhileCallersComeAndGo() throws Exception {
        long seed = Long.getLong("recallgate.seed", 20_261);
        try (TestDatabase database = TestDatabase.empty()) {
            result(vertx.deployVerticle(pool));
            result(pool.ready());
            Recall recall = result(Recall.start(
                    vertx,
                    RecallOptions.defaults(database.options(), "stress"),
                    new Recall.Parts(
                            pool.embedder(), () -> RecallSettings.DEFAULTS, meters, SystemClock.INSTANCE, timers)));
            List<Integer> before = generations();

            Future<Void> callers = Future.succeededFuture();
            Promise<Void> written = Promise.promise();
            for (int i = 0; i < CALLERS; i++) {
                Random random = new Random(seed + i);
                Context context = vertx.getOrCreateContext();
                Promise<Void> done = Promise.promise();
                context.runOnContext(
                        ignored -> call(recall, random, written.future()).onComplete(done));
                callers = callers.compose(ignored -> done.future());
            }
            Random random = new Random(seed);
            for (int from = 0; from < MEMORIES; ) {
                int size = Math.min(MEMORIES - from, 1 + random.nextInt(20));
                result(remember(recall, random, from, size));
                from += size;
            }
            allAreEmbedded(database, seed);
            written.complete();
            result(callers);

            synchronized (outcomes) {
                assertThat(outcomes).as("seed %d", seed).containsKeys(Outcome.ANSWERED, Outcome.GIVEN_UP);
                assertThat(outcomes).as("seed %d", seed).doesNotContainKey(Outcome.WRONG);
            }
            assertThat(generations()).isEqualTo(before);
            nothingIsLeft(recall);
        } finally {
            result(vertx.close());
        }
    }

    private Future<?> remember(Recall recall, Random random, int from, int size) {
        List<MemoryDraft> drafts = random.ints(size)
                .mapToObj(n -> new MemoryDraft(
                        // Every tenth text is there twice: two jobs, one of them joins or retraces the other's work.
                        n % 10 == 0 ? "the same as ever" : sentence(random) + " " + n,
                        MemoryKind.NOTE,
                        null,
                        null,
                        "s" + from % 7,
                        null,
                        false,
                        null,
                        new JsonObject()))
                .toList();
        return recall.memories().remember(scope(random), drafts, soon());
    }

    /** One call after the other until all is written, most of them cut short. */
    private Future<Void> call(Recall recall, Random random, Future<Void> written) {
        if (written.isComplete()) {
            return Future.succeededFuture();
        }
        CancelSignal cancel = new CancelSignal();
        Deadline deadline = Deadline.afterMillis(SystemClock.INSTANCE, random.nextInt(4) == 0 ? 30 : 20_000);
        Future<?> answer = random.nextInt(3) == 0
                ? pool.embedder().embed(embedding(random, deadline, cancel))
                : recall.recall().recall(scope(random), question(random, deadline, cancel));
        if (random.nextBoolean()) {
            timers.schedule(random.nextInt(20_000_000), () -> cancel.cancel(CancelCause.DISCONNECTED));
        }
        return answer.transform(done -> {
                    Outcome outcome = done.succeeded() ? Outcome.ANSWERED : outcome(done.cause());
                    synchronized (outcomes) {
                        outcomes.merge(outcome, 1, Integer::sum);
                    }
                    Promise<Void> pause = Promise.promise();
                    timers.schedule(random.nextInt(30_000_000), pause::complete);
                    return pause.future();
                })
                .compose(ignored -> call(recall, random, written));
    }

    private static Outcome outcome(Throwable error) {
        FailureCode code = FailureException.of(error).code();
        return switch (code) {
            case CANCELLED -> Outcome.GIVEN_UP;
            case DEADLINE_EXCEEDED -> Outcome.LATE;
            case OVERLOADED -> Outcome.BUSY;
            default -> Outcome.WRONG;
        };
    }

    private static EmbedRequest embedding(Random random, Deadline deadline, CancelSignal cancel) {
        List<EmbedInput> inputs = random.ints(1 + random.nextInt(12))
                .<EmbedInput>mapToObj(n -> new EmbedInput.Text((sentence(random) + " ").repeat(1 + (n & 7))))
                .toList();
        return new EmbedRequest(
                "stress-" + random.nextLong(), inputs, InputType.DOCUMENT, Priority.DOCUMENT, deadline, cancel);
    }

    private static RecallRequest question(Random random, Deadline deadline, CancelSignal cancel) {
        RecallMode mode = MODES.get(random.nextInt(MODES.size()));
        return new RecallRequest(sentence(random), mode, 10, null, Set.of(), false, deadline, cancel);
    }

    private static String sentence(Random random) {
        StringBuilder sentence = new StringBuilder();
        int words = 2 + random.nextInt(8);
        for (int i = 0; i < words; i++) {
            sentence.append(i == 0 ? "" : " ").append(WORDS[random.nextInt(WORDS.length)]);
        }
        return sentence.toString();
    }

    private static Scope scope(Random random) {
        return new Scope("owner-" + random.nextInt(3), "");
    }

    private static void allAreEmbedded(TestDatabase database, long seed) {
        String left = "";
        for (int i = 0; i < 60_000 && !left.equals("0"); i++) {
            left = database.queryText("select count(*) from embedding_job where state <> 'done'");
        }
        assertThat(database.queryText("select string_agg(state || ' ' || attempt || ' ' || failures, ', ')"
                        + " from embedding_job where state <> 'done' or attempt <> 1 or failures <> 0"))
                .as("jobs that did not end in their first attempt, seed %d", seed)
                .isEqualTo("null");
        assertThat(database.queryText("select count(*) || ' ' || count(distinct memory_id) from memory_vector"))
                .isEqualTo(MEMORIES + " " + MEMORIES);
        assertThat(database.queryText("select count(*) || ' ' || count(distinct memory_id) from embedding_job"))
                .isEqualTo(MEMORIES + " " + MEMORIES);
    }

    private List<Integer> generations() throws Exception {
        JsonArray slots = result(pool.operations().status()).getJsonArray("slots");
        return slots.stream()
                .map(slot -> ((JsonObject) slot).getInteger("generation"))
                .toList();
    }

    /** No timer, no waiter, no charged byte, no job, no connection. */
    private void nothingIsLeft(Recall recall) throws Exception {
        result(recall.close());
        JsonObject queue = new JsonObject();
        for (int i = 0; i < 100_000 && queue.getInteger("operations", 1) > 0; i++) {
            queue = result(pool.operations().status()).getJsonObject("queue");
        }
        assertThat(queue.getInteger("operations")).isZero();
        assertThat(queue.getLong("bytes")).isZero();
        assertThat(queue.getInteger("waiters")).isZero();
        // Those of callers' own departures are at most 20 ms away.
        Await.until("no timer is pending", () -> timers.pending() == 0);
        assertThat(result(pool.shutdown(Deadline.after(SystemClock.INSTANCE, Duration.ofSeconds(20))))
                        .isClean())
                .isTrue();
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
    }

    private static <T> T result(Future<T> future) throws Exception {
        return future.await(300, TimeUnit.SECONDS);
    }

    /** Real timers that know how many of them are armed. */
    private static final class CountingTimers implements Timers {
        private final Timers real;
        private final AtomicInteger armed = new AtomicInteger();

        CountingTimers(Timers real) {
            this.real = real;
        }

        int pending() {
            return armed.get();
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            armed.incrementAndGet();
            Timer timer = real.schedule(delayNanos, () -> {
                armed.decrementAndGet();
                task.run();
            });
            return () -> {
                boolean cancelled = timer.cancel();
                if (cancelled) {
                    armed.decrementAndGet();
                }
                return cancelled;
            };
        }
    }
}
