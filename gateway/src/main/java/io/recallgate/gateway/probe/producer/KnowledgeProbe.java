package io.recallgate.gateway.probe.producer;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.probe.Probe;
import io.recallgate.gateway.probe.ProbeKey;
import io.recallgate.gateway.probe.ProbeName;
import io.recallgate.gateway.probe.ProbeOutcome;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.canary.Canary;
import io.recallgate.recall.canary.CanaryStore;
import io.recallgate.recall.canary.CanaryStore.Found;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Recalls a row that is known to be there, by words and by meaning, and tells how it was served. The row is embedded by
 * the probe itself, anew when the model is another one. A hybrid recall that is answered by words alone is a failure,
 * unless there is no provider by choice.
 */
public final class KnowledgeProbe implements Probe {

    private static final String CONTENT =
            "The lighthouse keeper of Skerryvore counted eleven grey seals before breakfast.";
    private static final String QUESTION = "How many seals did the keeper of the lighthouse count?";

    /** The same row for all gateways on a database. */
    private static final Canary CANARY = new Canary(
            UUID.nameUUIDFromBytes("recallgate knowledge probe".getBytes(StandardCharsets.UTF_8)),
            "knowledge",
            CONTENT);

    private static final int LIMIT = 3;

    private final ObservedEmbedder embedder;
    private final CanaryStore store;
    private final RecallService recall;
    private long attempts;

    /**
     * @param embedder which {@code recall} asks, too
     * @param recall that leaves no trace in logs and counts
     */
    public KnowledgeProbe(ObservedEmbedder embedder, CanaryStore store, RecallService recall) {
        this.embedder = embedder;
        this.store = store;
        this.recall = recall;
    }

    @Override
    public ProbeName name() {
        return ProbeName.KNOWLEDGE;
    }

    @Override
    public @Nullable String disabled(ProbeKey key) {
        return null;
    }

    @Override
    public Future<ProbeOutcome> attempt(Deadline deadline, CancelSignal cancel) {
        attempts++;
        embedder.begin();
        return renew(deadline, cancel)
                // The recall tells what is wrong, unless there is no time left for it.
                .recover(error -> deadline.isPassed() ? Future.failedFuture(error) : Future.succeededFuture())
                .compose(renewed -> recall.recall(CANARY.scope(), question(deadline, cancel)))
                .map(KnowledgeProbe::outcome)
                .otherwise(error -> failed(FailureException.of(error)))
                // Only now is it known whether the provider works on with what the recall did not wait for.
                .compose(outcome ->
                        embedder.abandoned().map(goesOn -> outcome.abandoned(goesOn || outcome.abandoned())));
    }

    private static RecallRequest question(Deadline deadline, CancelSignal cancel) {
        return new RecallRequest(QUESTION, RecallMode.HYBRID, LIMIT, null, Set.of(), false, false, deadline, cancel);
    }

    /** Has the row there, with its vector of the active model as far as there is one. */
    private Future<Void> renew(Deadline deadline, CancelSignal cancel) {
        return embedder.model()
                .transform(model -> model.succeeded()
                        ? renew(model.result().fingerprint(), deadline, cancel)
                        // Nobody embeds now; the recall says why, and finds the row by its words.
                        : store.look(CANARY, "", deadline)
                                .compose(found -> found == Found.MISSING
                                        ? store.put(CANARY, null, deadline)
                                        : Future.succeededFuture()));
    }

    private Future<Void> renew(String fingerprint, Deadline deadline, CancelSignal cancel) {
        return store.look(CANARY, fingerprint, deadline).compose(found -> switch (found) {
            case WITH_VECTOR -> Future.succeededFuture();
            case MISSING -> store.put(CANARY, null, deadline).compose(written -> embed(deadline, cancel));
            case WITHOUT_VECTOR -> embed(deadline, cancel);
        });
    }

    private Future<Void> embed(Deadline deadline, CancelSignal cancel) {
        return embedder.embed(new EmbedRequest(
                        "probe-knowledge-" + attempts,
                        List.of(new EmbedInput.Text(CONTENT)),
                        InputType.DOCUMENT,
                        Priority.DOCUMENT,
                        deadline,
                        cancel))
                .compose(result -> store.put(
                        CANARY,
                        new CanaryStore.Embedded(
                                result.model().fingerprint(), result.vectors().get(0)),
                        deadline));
    }

    private static ProbeOutcome outcome(RecallResponse response) {
        String served = response.served().wireName();
        DegradeReason reason = response.degraded();
        boolean found =
                response.hits().stream().anyMatch(hit -> hit.memory().id().equals(CANARY.id()));
        if (reason != null && reason != DegradeReason.NO_EMBEDDING_PROVIDER) {
            return ProbeOutcome.failed(reason.wireName(), reason.advice()).served(served);
        }
        return found
                ? ProbeOutcome.healthy(served)
                : ProbeOutcome.failed("canary-not-found", "what is known to be there was not recalled")
                        .served(served);
    }

    private static ProbeOutcome failed(FailureException failure) {
        return ProbeOutcome.failed(failure.code().code(), failure.detail()).abandoned(failure.isAbandoned());
    }
}
