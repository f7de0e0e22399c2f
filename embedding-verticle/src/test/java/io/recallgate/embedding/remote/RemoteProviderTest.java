package io.recallgate.embedding.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A remote provider's verticle on a fake clock before a scripted server, and words to speak about it. */
@Timeout(120)
abstract class RemoteProviderTest {

    static final int DIMENSIONS = 8;

    final FakeClock clock = new FakeClock();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final AtomicLong limitMillis = new AtomicLong(2_500);
    private final AtomicInteger ids = new AtomicInteger();
    private final Vertx vertx = Vertx.vertx();
    final ScriptedProvider provider = ScriptedProvider.start(DIMENSIONS);

    @SuppressWarnings("NullAway.Init") // before each test, and again by those that want other options
    RemoteVerticle remote;

    private String deployment = "";

    @BeforeEach
    void deploy() {
        deploy(options());
    }

    @AfterEach
    void close() {
        join(vertx.undeploy(deployment));
        assertThat(clock.pending()).as("timers that are left").isZero();
        provider.close();
        join(vertx.close());
    }

    /** With known dimensions and a server that stops when its client goes. */
    final RemoteOptions options() {
        RemoteOptions usual = RemoteOptions.defaults(provider.url(), "scripted-model");
        return new RemoteOptions(
                new RemoteOptions.Server(provider.url(), Optional.of("sk-secret"), true),
                new RemoteOptions.Model("scripted-model", OptionalInt.of(DIMENSIONS), 64, "query: ", "passage: "),
                usual.bounds(),
                usual.breaker());
    }

    final RemoteOptions with(RemoteOptions.Bounds bounds) {
        return new RemoteOptions(
                options().server(), options().model(), bounds, options().breaker());
    }

    final RemoteOptions with(OptionalInt dimensions) {
        RemoteOptions.Model model = options().model();
        return new RemoteOptions(
                options().server(),
                new RemoteOptions.Model(
                        model.name(), dimensions, model.maxTokens(), model.queryPrefix(), model.documentPrefix()),
                options().bounds(),
                options().breaker());
    }

    final RemoteOptions thatGoesOnAlone() {
        return new RemoteOptions(
                new RemoteOptions.Server(provider.url(), Optional.empty(), false),
                options().model(),
                options().bounds(),
                options().breaker());
    }

    /** In place of the one before. */
    final void deploy(RemoteOptions options) {
        if (!deployment.isEmpty()) {
            join(vertx.undeploy(deployment));
        }
        remote = new RemoteVerticle(options, meters, limitMillis::get, clock, clock);
        deployment = join(vertx.deployVerticle(remote));
    }

    final Vertx vertx() {
        return vertx;
    }

    final Future<EmbedResult> query(String text) {
        return query(text, limitMillis.get(), new CancelSignal());
    }

    final Future<EmbedResult> query(String text, long deadlineMillis, CancelSignal cancel) {
        return remote.embedder().embed(request(Priority.QUERY, deadlineMillis, cancel, text));
    }

    final Future<EmbedResult> document(String... texts) {
        return remote.embedder().embed(request(Priority.DOCUMENT, 600_000, new CancelSignal(), texts));
    }

    final EmbedRequest request(Priority priority, long deadlineMillis, CancelSignal cancel, String... texts) {
        return new EmbedRequest(
                "r" + ids.incrementAndGet(),
                Stream.of(texts).<EmbedInput>map(EmbedInput.Text::new).toList(),
                priority == Priority.QUERY ? InputType.QUERY : InputType.DOCUMENT,
                priority,
                Deadline.afterMillis(clock, deadlineMillis),
                cancel);
    }

    /** Sends a query, and lets the clock run out on it once it is at the provider. */
    final FailureException stalledQuery(String text) {
        int before = provider.count();
        Future<EmbedResult> answer = query(text);
        eventually(() -> provider.count() == before + 1);
        clock.advanceMillis(limitMillis.get());
        return failure(answer);
    }

    final void openBreaker() {
        provider.stalls();
        for (int i = 0; i < 3; i++) {
            assertThat(stalledQuery("stalled " + i).code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
        }
        eventually(() -> breaker() == BreakerState.OPEN);
    }

    final BreakerState breaker() {
        return latest().breaker();
    }

    /** After all that was under way on the provider's context when it is asked. */
    final RemoteSnapshot latest() {
        status();
        return remote.latest();
    }

    final JsonObject status() {
        return join(remote.operations().status());
    }

    final double counted(String meter, String... tags) {
        var timer = meters.find(meter).tags(tags).timer();
        if (timer != null) {
            return timer.count();
        }
        var counter = meters.find(meter).tags(tags).counter();
        return counter == null ? 0 : counter.count();
    }

    static FailureException failure(Future<?> future) {
        Throwable error = catchThrowable(() -> join(future));
        assertThat(error).isInstanceOf(FailureException.class);
        return (FailureException) error;
    }

    /** Waits for a condition that others bring about; bounded by the test's timeout. */
    static void eventually(BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    static <T> T join(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException runtime ? runtime : new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    static RemoteOptions.Bounds bounds(RemoteOptions.Bounds usual, int batchInputs, int connections, int operations) {
        return new RemoteOptions.Bounds(
                usual.connect(),
                Duration.ofSeconds(60),
                batchInputs,
                connections,
                operations,
                operations - 1,
                usual.bytes(),
                usual.documentBytes());
    }
}
