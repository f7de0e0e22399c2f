package io.recallgate.recall.search;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Does what the test says, and remembers what it was asked. */
final class ScriptedEmbedder implements Embedder {

    static final ModelIdentity MODEL = new ModelIdentity("scripted", "5c4197ed", 4, 512);

    final List<EmbedRequest> requests = new CopyOnWriteArrayList<>();
    private volatile Function<EmbedRequest, Future<EmbedResult>> script = request -> answer(1, 0, 0, 0);

    void answers(float... values) {
        script = request -> answer(values);
    }

    void fails(FailureCode code) {
        script = request -> Future.failedFuture(new FailureException(code, "scripted"));
    }

    void truncates() {
        script = request -> Future.succeededFuture(new EmbedResult(
                MODEL, List.of(EmbeddingVector.of(1, 0, 0, 0)), List.of(512), List.of(0), EmbedResult.Timing.NONE));
    }

    void throwsAtOnce() {
        script = request -> {
            throw new IllegalStateException("scripted");
        };
    }

    /** Never answers, and pays no attention to deadline and cancellation, as a bad provider would. */
    Promise<EmbedResult> stalls() {
        Promise<EmbedResult> promise = Promise.promise();
        script = request -> promise.future();
        return promise;
    }

    static Future<EmbedResult> answer(float... values) {
        return Future.succeededFuture(new EmbedResult(
                MODEL, List.of(EmbeddingVector.of(values)), List.of(5), List.of(), EmbedResult.Timing.NONE));
    }

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        requests.add(request);
        return script.apply(request);
    }

    @Override
    public Future<ModelIdentity> model() {
        return Future.succeededFuture(MODEL);
    }

    String lastText() {
        return ((EmbedInput.Text) requests.get(requests.size() - 1).inputs().get(0)).text();
    }
}
