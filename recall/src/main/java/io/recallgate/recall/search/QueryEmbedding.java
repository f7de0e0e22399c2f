package io.recallgate.recall.search;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.EmbeddingSource;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import java.util.List;

/**
 * The vector of one question, waited for no longer than its deadline, whether or not the provider keeps it. Work that is
 * no longer wanted is given up through its cancel signal, so that nothing more reaches a remote provider.
 */
final class QueryEmbedding {

    private final CancelSignal cancel = new CancelSignal();
    private final Race<Embedded> race;

    /**
     * What came.
     *
     * @param vector the question's
     * @param fingerprint of the model that made it
     * @param source where it came from
     * @param truncated whether it is of the question's beginning only
     */
    record Embedded(EmbeddingVector vector, String fingerprint, EmbeddingSource source, boolean truncated) {}

    /**
     * What is to be embedded.
     *
     * @param id names the request in logs
     * @param owner whose question it is
     * @param memo whether a vector from before will do
     */
    record Question(String id, String owner, String text, boolean memo) {}

    private QueryEmbedding(Timers timers, Deadline deadline, DegradeReason late) {
        race = new Race<>(timers, deadline, () -> new Degradation(late, "the query's embedding was not there in time"));
        race.future().onComplete(outcome -> {
            if (outcome.failed()) {
                // A provider that was given its time is told from one that was not wanted any more.
                cancel.cancel(deadline.isPassed() ? CancelCause.DEADLINE : CancelCause.SUPERSEDED);
            }
        });
    }

    /**
     * Asks the provider.
     *
     * @param deadline when the wait ends
     * @param late the label if it ends without a vector
     */
    static QueryEmbedding start(
            QueryMemo memo, Timers timers, Question question, Deadline deadline, DegradeReason late) {
        QueryEmbedding embedding = new QueryEmbedding(timers, deadline, late);
        if (deadline.isPassed()) {
            embedding.race.fail(new Degradation(late, "no time is left for the query's embedding"));
            return embedding;
        }
        EmbedRequest request = new EmbedRequest(
                question.id(),
                List.of(new EmbedInput.Text(question.text())),
                InputType.QUERY,
                Priority.QUERY,
                deadline,
                embedding.cancel);
        call(memo, question, request)
                .compose(QueryEmbedding::check, error -> Future.failedFuture(Degradation.ofEmbedding(error, late)))
                .onComplete(embedding.race::settle);
        return embedding;
    }

    /** Fails with a {@link Degradation}. */
    Future<Embedded> future() {
        return race.future();
    }

    /** Gives up; harmless once settled. */
    void abandon(CancelCause cause) {
        if (race.isOver()) {
            return;
        }
        cancel.cancel(cause);
        race.fail(new Degradation(DegradeReason.EMBEDDING_ERROR, "the recall ended first"));
    }

    private static Future<QueryMemo.Answer> call(QueryMemo memo, Question question, EmbedRequest request) {
        try {
            return question.memo() ? memo.embed(question.owner(), question.text(), request) : memo.direct(request);
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private static Future<Embedded> check(QueryMemo.Answer answer) {
        EmbedResult result = answer.result();
        if (result.vectors().size() != 1) {
            return Future.failedFuture(new Degradation(
                    DegradeReason.EMBEDDING_ERROR,
                    new FailureException(FailureCode.EMBEDDING_FAILED, "the provider sent no vector")));
        }
        EmbeddingVector vector = result.vectors().get(0);
        if (vector.dimensions() != result.model().dimensions()) {
            return Future.failedFuture(new Degradation(
                    DegradeReason.DIMENSION_MISMATCH,
                    "the provider's vector has " + vector.dimensions() + " dimensions, its model "
                            + result.model().dimensions()));
        }
        return Future.succeededFuture(new Embedded(
                vector,
                result.model().fingerprint(),
                answer.source(),
                !result.truncated().isEmpty()));
    }
}
