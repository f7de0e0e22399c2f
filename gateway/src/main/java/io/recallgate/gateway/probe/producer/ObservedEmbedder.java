package io.recallgate.gateway.probe.producer;

import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * Passes a probe's texts on and notes what becomes of them, so that it is known of an attempt whether the provider works
 * on. A caller that gives up by the deadline that the request has anyway does not hurry the answer: the provider ends it
 * by the same deadline, and only it can say whether the work goes on. Any thread.
 */
public final class ObservedEmbedder implements Embedder {

    private final Embedder embedder;
    private List<Future<EmbedResult>> asked = new ArrayList<>();

    /** @param embedder does the work */
    public ObservedEmbedder(Embedder embedder) {
        this.embedder = embedder;
    }

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        CancelSignal cancel = new CancelSignal();
        CancelSignal.Registration registration = request.cancel().onCancel(cause -> {
            if (!request.deadline().isPassed()) {
                cancel.cancel(cause);
            }
        });
        Future<EmbedResult> result = embedder.embed(new EmbedRequest(
                request.id(), request.inputs(), request.inputType(), request.priority(), request.deadline(), cancel));
        synchronized (this) {
            asked.add(result);
        }
        return result.onComplete(done -> registration.remove());
    }

    @Override
    public Future<ModelIdentity> model() {
        return embedder.model();
    }

    /** Forgets what was asked before. */
    synchronized void begin() {
        asked = new ArrayList<>();
    }

    /** Whether the provider works on with something that was asked since; completes when all of it has been answered. */
    Future<Boolean> abandoned() {
        List<Future<EmbedResult>> all;
        synchronized (this) {
            all = List.copyOf(asked);
        }
        return Future.join(all)
                .transform(done -> Future.succeededFuture(all.stream()
                        .anyMatch(one ->
                                one.failed() && FailureException.of(one.cause()).isAbandoned())));
    }
}
