package io.recallgate.recall.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.EmbeddingSource;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueryMemoTest {

    private final FakeClock clock = new FakeClock();
    private final ScriptedEmbedder embedder = new ScriptedEmbedder();
    private final AtomicReference<@Nullable String> model = new AtomicReference<>(ScriptedEmbedder.MODEL.fingerprint());
    private final QueryMemo memo = new QueryMemo(embedder, model::get, clock);

    @Test
    void theSameTextOfTheSameOwnerIsEmbeddedOnce() {
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.MEMO);
        assertThat(embedder.requests).hasSize(1);
    }

    @Test
    void anotherTextOwnerOrModelIsAnotherQuestion() {
        ask("alice", "tea");
        assertThat(ask("alice", "Tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
        assertThat(ask("bob", "tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
        model.set("another");
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
        assertThat(ask("alice", "tea").result().source())
                .as("a vector of another model than the active one is not kept")
                .isEqualTo(EmbeddingSource.PROVIDER);
    }

    @Test
    void withoutAModelNothingIsRemembered() {
        model.set(null);
        ask("alice", "tea");
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
    }

    @Test
    void aVectorIsMadeAnewAfterTenMinutes() {
        ask("alice", "tea");
        clock.advance(Duration.ofMinutes(10));
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.MEMO);
        clock.advance(Duration.ofNanos(1));
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
    }

    @Test
    void theOneThatWasNotAskedForLongestGoesWhenItIsFull() {
        for (int i = 0; i < QueryMemo.MAX_ENTRIES; i++) {
            ask("alice", "question " + i);
        }
        ask("alice", "question 0");
        ask("alice", "one more");
        assertThat(ask("alice", "question 0").result().source()).isEqualTo(EmbeddingSource.MEMO);
        assertThat(ask("alice", "question 1").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
        ask("alice", "x".repeat(QueryMemo.MAX_CHARS + 1));
        assertThat(ask("alice", "x".repeat(QueryMemo.MAX_CHARS + 1)).result().source())
                .isEqualTo(EmbeddingSource.PROVIDER);
    }

    @Test
    void twoWhoAskTheSameAtOnceShareOneEmbedding() {
        Promise<EmbedResult> provider = embedder.stalls();
        Future<QueryMemo.Answer> first = ask("alice", "tea");
        clock.advanceMillis(1_000);
        Future<QueryMemo.Answer> second = ask("alice", "tea");
        assertThat(embedder.requests).hasSize(1);
        provider.complete(ScriptedEmbedder.answer(1, 0, 0, 0).result());
        assertThat(first.result().source()).isEqualTo(EmbeddingSource.PROVIDER);
        assertThat(second.result().source()).isEqualTo(EmbeddingSource.SHARED);
    }

    @Test
    void oneWhoLeavesTakesNothingFromTheOtherAndTheLastEndsTheWork() {
        embedder.stalls();
        CancelSignal one = new CancelSignal();
        CancelSignal other = new CancelSignal();
        ask("alice", "tea", 2_500, one);
        ask("alice", "tea", 2_500, other);
        CancelSignal work = embedder.requests.get(0).cancel();
        one.cancel(CancelCause.DISCONNECTED);
        assertThat(work.isCancelled()).isFalse();
        other.cancel(CancelCause.DEADLINE);
        assertThat(work.cause()).isEqualTo(CancelCause.DEADLINE);
        ask("alice", "tea");
        assertThat(embedder.requests).as("nobody joins what was given up").hasSize(2);
    }

    @Test
    void whoeverWaitsLongerThanTheWorkMayDoesNotJoinIt() {
        embedder.stalls();
        ask("alice", "tea", 100, new CancelSignal());
        ask("alice", "tea", 200, new CancelSignal());
        assertThat(embedder.requests).hasSize(1);
        ask("alice", "tea", 201, new CancelSignal());
        assertThat(embedder.requests).hasSize(2);
    }

    @Test
    void aFailureIsToldToAllWhoShareItAndNotRemembered() {
        Promise<EmbedResult> provider = embedder.stalls();
        Future<QueryMemo.Answer> first = ask("alice", "tea");
        Future<QueryMemo.Answer> second = ask("alice", "tea");
        provider.fail(new FailureException(FailureCode.EMBEDDING_FAILED, "scripted"));
        assertThat(first.failed()).isTrue();
        assertThat(second.cause()).isSameAs(first.cause());
        embedder.answers(1, 0, 0, 0);
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
    }

    @Test
    void aVectorOfTheWrongDimensionIsNotRemembered() {
        embedder.answers(1, 0);
        ask("alice", "tea");
        embedder.answers(1, 0, 0, 0);
        assertThat(ask("alice", "tea").result().source()).isEqualTo(EmbeddingSource.PROVIDER);
    }

    private Future<QueryMemo.Answer> ask(String owner, String text) {
        return ask(owner, text, 2_500, new CancelSignal());
    }

    private Future<QueryMemo.Answer> ask(String owner, String text, long deadlineMillis, CancelSignal cancel) {
        return memo.embed(
                owner,
                text,
                new EmbedRequest(
                        "q",
                        List.of(new EmbedInput.Text(text)),
                        InputType.QUERY,
                        Priority.QUERY,
                        Deadline.afterMillis(clock, deadlineMillis),
                        cancel));
    }
}
