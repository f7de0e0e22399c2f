package io.recallgate.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.remote.RemoteOptions;
import io.recallgate.embedding.remote.RemoteVerticle;
import io.recallgate.embedding.remote.ScriptedProvider;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.fit.ContextWindows;
import io.recallgate.gateway.conversation.prepare.FallbackWorkers;
import io.recallgate.gateway.conversation.prepare.MemoryPreparation;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.recall.Recall;
import io.recallgate.recall.RecallOptions;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.AcceptedTurn;
import io.recallgate.recall.api.Conversation;
import io.recallgate.recall.api.ConversationService;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A gateway whose parts are the real ones, from its own PostgreSQL to a remote embedding provider, with a place for trouble in
 * front of each. What is under way is counted.
 */
final class FaultyStack implements AutoCloseable {

    /** Of preparation: what stalls takes so long. */
    static final long BUDGET_MILLIS = 2_000;

    /** Of the provider: it is as slow as a test is. */
    static final long PROVIDER_MILLIS = 2_000;

    private static final long SLOW_MILLIS = 20;

    /** What somebody does to a call. */
    enum Trouble {
        NONE,
        /** It never ends by itself. */
        STALL,
        /** It fails. */
        ERROR,
        /** It ends a little later. */
        SLOW,
        /** Nobody is there. */
        GONE
    }

    final UpstreamStub upstream = new UpstreamStub();
    final TestGateway gateway = new TestGateway(upstream.conversation(PROVIDER_MILLIS, PROVIDER_MILLIS));
    final ScriptedProvider provider = ScriptedProvider.start(8);
    final DatabaseProxy wire;
    /** Calls of the parts that have not ended. */
    final AtomicInteger underWay = new AtomicInteger();

    volatile Trouble embedding = Trouble.NONE;
    volatile Trouble recalling = Trouble.NONE;
    /** Whether trouble comes while a call is going on, or before. */
    volatile boolean during;
    /** What happens when the database has been asked. */
    volatile Runnable onceAsked = () -> {};
    /** What happens when a recall has been asked for. */
    volatile Runnable onceRecalled = () -> {};

    /** Timers that go round while nothing is to be done. */
    private final int roundTimers = gateway.timers.pending();

    private final TestDatabase database = TestDatabase.embedded();
    private final Recall recall;
    private final FallbackWorkers fallbacks;
    private volatile boolean refusing;
    private volatile CountDownLatch busy = new CountDownLatch(0);

    FaultyStack() {
        DatabaseOptions direct = database.options();
        wire = new DatabaseProxy(direct.host(), direct.port());
        RemoteOptions defaults = RemoteOptions.defaults(provider.url(), "m");
        RemoteVerticle remote = new RemoteVerticle(
                new RemoteOptions(
                        defaults.server(),
                        defaults.model(),
                        defaults.bounds(),
                        // What it does when it opens has tests of its own; here each trouble is to be met.
                        new RemoteOptions.Breaker(
                                10_000, Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(30))),
                new SimpleMeterRegistry(),
                () -> BUDGET_MILLIS);
        TestGateway.await(gateway.vertx.deployVerticle(remote));
        recall = TestGateway.await(Recall.start(
                gateway.vertx,
                RecallOptions.defaults(behindWire(direct), "faults"),
                new Recall.Parts(
                        troubled(remote.embedder()),
                        () -> new RecallSettings(200, 60_000, 5, 1_000, 300_000, 1_000, 3_600_000, 1 << 20),
                        new SimpleMeterRegistry(),
                        SystemClock.INSTANCE,
                        new VertxTimers(gateway.vertx))));
        fallbacks = new FallbackWorkers(gateway.vertx, gateway.timers);
        PreparationOptions options = new PreparationOptions(BUDGET_MILLIS, 8, 20, 8_000, ContextWindows.of("m=200000"));
        gateway.runtime.turns = new MemoryPreparation(
                new MemoryPreparation.Parts(
                        gateway.vertx,
                        troubled(recall.recall()),
                        counted(recall.conversations()),
                        new JsonWorkers(gateway.runtime.readers(), gateway.timers),
                        fallbacks,
                        SystemClock.INSTANCE,
                        gateway.timers),
                () -> options);
        remember("Mina moved to Kyoto");
    }

    private DatabaseOptions behindWire(DatabaseOptions direct) {
        return new DatabaseOptions(
                "127.0.0.1",
                wire.port,
                direct.database(),
                direct.user(),
                direct.password(),
                direct.tls(),
                direct.tlsRootCertificate(),
                direct.poolSize(),
                direct.maxWaiting(),
                direct.connectTimeoutMillis());
    }

    private void remember(String content) {
        UUID id = TestGateway.await(recall.memories()
                        .remember(
                                Scope.LOCAL,
                                List.of(new MemoryDraft(
                                        content,
                                        MemoryKind.NOTE,
                                        null,
                                        null,
                                        null,
                                        null,
                                        false,
                                        null,
                                        new JsonObject())),
                                soon()))
                .get(0)
                .id();
        while (TestGateway.await(recall.memories().get(Scope.LOCAL, id, soon())).state() != MemoryState.EMBEDDED) {
            Thread.onSpinWait();
        }
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
    }

    private Embedder troubled(Embedder real) {
        return new Embedder() {
            @Override
            public Future<EmbedResult> embed(EmbedRequest request) {
                // What is embedded in the background is nobody's turn.
                if (request.inputType() != InputType.QUERY) {
                    return real.embed(request);
                }
                return counted(trouble(
                        embedding,
                        request.cancel(),
                        FailureCode.EMBEDDING_FAILED,
                        FailureCode.EMBEDDING_UNAVAILABLE,
                        () -> real.embed(request)));
            }

            @Override
            public Future<ModelIdentity> model() {
                return real.model();
            }
        };
    }

    private RecallService troubled(RecallService real) {
        return (scope, request) -> {
            Future<RecallResponse> answer = counted(trouble(
                    recalling,
                    request.cancel(),
                    FailureCode.INTERNAL,
                    FailureCode.SHUTTING_DOWN,
                    () -> real.recall(scope, request)));
            onceRecalled.run();
            return answer;
        };
    }

    private <T> Future<T> trouble(
            Trouble trouble, CancelSignal cancel, FailureCode error, FailureCode gone, Supplier<Future<T>> work) {
        if (trouble == Trouble.NONE) {
            return work.get();
        }
        // While it is going on: it has been begun in earnest by then.
        Future<T> begun = during ? work.get().transform(done -> later()) : Future.succeededFuture();
        return begun.compose(ready -> switch (trouble) {
            case STALL -> {
                Promise<T> never = Promise.promise();
                cancel.onCancel(cause -> never.tryFail(new FailureException(FailureCode.CANCELLED, "cancelled")));
                yield never.future();
            }
            case SLOW -> FaultyStack.this.<T>later().compose(late -> work.get());
            case GONE -> Future.failedFuture(new FailureException(gone, "scripted"));
            default -> Future.failedFuture(new FailureException(error, "scripted"));
        });
    }

    private <T> Future<T> later() {
        Promise<T> promise = Promise.promise();
        gateway.vertx.setTimer(SLOW_MILLIS, late -> promise.complete());
        return promise.future();
    }

    private ConversationService counted(ConversationService real) {
        return new ConversationService() {
            @Override
            public Future<Conversation> load(
                    Scope scope, String session, List<String> chains, Deadline deadline, CancelSignal cancel) {
                Future<Conversation> answer = counted(real.load(scope, session, chains, deadline, cancel));
                onceAsked.run();
                return answer;
            }

            @Override
            public Future<List<Memory>> pinned(Scope scope, int limit, Deadline deadline, CancelSignal cancel) {
                return counted(real.pinned(scope, limit, deadline, cancel));
            }

            @Override
            public Future<Void> accept(Scope scope, AcceptedTurn turn, Deadline deadline) {
                return counted(real.accept(scope, turn, deadline));
            }
        };
    }

    private <T> Future<T> counted(Future<T> call) {
        underWay.incrementAndGet();
        return call.onComplete(done -> underWay.decrementAndGet());
    }

    /** The embedding provider answers so much later. */
    void delayEmbeddings(long millis) {
        provider.stalls();
        gateway.vertx.setTimer(millis, late -> {
            provider.answers();
            provider.release();
        });
    }

    /** The embedding provider takes no connections until {@link #heal}. */
    void refuseEmbeddings() {
        refusing = true;
        provider.refuses();
    }

    /** All read workers are busy until {@link #heal}, or for a moment. */
    void holdReaders(boolean forAMoment) {
        CountDownLatch latch = new CountDownLatch(1);
        busy = latch;
        for (int i = 0; i < 2; i++) {
            gateway.runtime
                    .readers()
                    .run(
                            soon(),
                            () -> forAMoment
                                    ? latch.await(SLOW_MILLIS, TimeUnit.MILLISECONDS)
                                    : latch.await(60, TimeUnit.SECONDS))
                    .onFailure(late -> latch.countDown());
        }
    }

    /** They are, and all places before them are taken. */
    void fillReaders() {
        holdReaders(false);
        CountDownLatch latch = busy;
        for (int i = 0; i < 128; i++) {
            gateway.runtime.readers().run(soon(), latch::getCount).onFailure(full -> {});
        }
    }

    /** No trouble from now on. */
    void heal() {
        embedding = Trouble.NONE;
        recalling = Trouble.NONE;
        during = false;
        onceAsked = () -> {};
        onceRecalled = () -> {};
        wire.mode(DatabaseProxy.Mode.PASS);
        if (refusing) {
            refusing = false;
            provider.recovers();
        }
        provider.answers();
        provider.release();
        busy.countDown();
    }

    /** Timers of turns that may still go off. */
    int timers() {
        return gateway.timers.pending() - roundTimers;
    }

    /** How many statements the database is at, of whatever application of ours. */
    int activeStatements() {
        return Integer.parseInt(
                database.queryText("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and state = 'active' and pid <> pg_backend_pid()"));
    }

    @Override
    public void close() {
        heal();
        TestGateway.await(recall.close());
        TestGateway.await(fallbacks.close());
        gateway.close();
        upstream.close();
        provider.close();
        wire.close();
        database.close();
        assertThat(underWay).hasValue(0);
    }
}
