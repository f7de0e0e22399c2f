package io.recallgate.embedding.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is not a query: documents, many rows, token ids. */
class RemoteDocumentsTest extends RemoteProviderTest {

    @Test
    void onlyTheTransportKnowsWhetherTheProviderWorksOn() {
        for (boolean alone : new boolean[] {true, false}) {
            deploy(alone ? thatGoesOnAlone() : options());
            provider.stalls();
            int before = provider.count();
            Future<EmbedResult> late = embedding("late " + alone, 1_000);
            eventually(() -> provider.count() == before + 1);
            clock.advanceMillis(1_000);
            FailureException failure = failure(late);
            assertThat(failure.code()).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
            assertThat(failure.isAbandoned()).isEqualTo(alone);
        }
        provider.refuses();
        assertThat(failure(embedding("refused", 1_000)).isAbandoned()).isFalse();
    }

    private Future<EmbedResult> embedding(String text, long deadlineMillis) {
        return remote.embedder().embed(request(Priority.DOCUMENT, deadlineMillis, new CancelSignal(), text));
    }

    @Test
    void c7DocumentsAreNotCutByTheQuerysLimitButByTheirOwnBudget() {
        provider.stalls();
        Future<EmbedResult> patient = document("patient");
        eventually(() -> provider.count() == 1);
        clock.advanceMillis(59_999);
        provider.release();
        assertThat(join(patient).vectors()).hasSize(1);

        Future<EmbedResult> never = document("never");
        eventually(() -> provider.count() == 2);
        clock.advanceMillis(60_000);
        assertThat(failure(never).code()).isEqualTo(FailureCode.EMBEDDING_FAILED);
        assertThat(breaker())
                .as("documents have time, and tell nothing about queries")
                .isEqualTo(BreakerState.CLOSED);
    }

    @Test
    void documentsGoOnWhileQueriesAreKeptAway() {
        openBreaker();
        provider.answers();
        assertThat(join(document("one")).vectors()).hasSize(1);
        assertThat(breaker()).isEqualTo(BreakerState.OPEN);
    }

    @Test
    void manyRowsAreSeveralRequestsAndOneAnswerInOrder() {
        String[] texts = IntStream.range(0, 70).mapToObj(i -> "row " + i).toArray(String[]::new);
        EmbedResult result = join(document(texts));
        assertThat(provider.asked).extracting(asked -> asked.texts().size()).containsExactly(32, 32, 6);
        assertThat(result.vectors()).hasSize(70);
        assertThat(result.vectors().get(69))
                .isEqualTo(join(document("row 69")).vectors().get(0));
        assertThat(result.totalTokens()).isEqualTo(7 * 70);
    }

    @Test
    void whatIsCutToTheWindowIsLabelled() {
        EmbedResult result = join(document("short", "long ".repeat(500), "short"));
        assertThat(result.truncated()).containsExactly(1);
        assertThat(provider.asked.get(0).texts().get(1).length()).isLessThan(1_000);
    }

    @Test
    void tokenIdsAreSentAsTheyAre() {
        EmbedRequest request = new EmbedRequest(
                "tokens",
                List.of(new EmbedInput.Tokens(new int[] {1, 2, 3}), new EmbedInput.Text("text")),
                InputType.DOCUMENT,
                Priority.DOCUMENT,
                Deadline.afterMillis(clock, 10_000),
                new CancelSignal());
        assertThat(join(remote.embedder().embed(request)).vectors()).hasSize(2);
        assertThat(provider.asked)
                .extracting(asked -> asked.texts().get(0))
                .containsExactly("[1,2,3]", "passage: text");
    }
}
