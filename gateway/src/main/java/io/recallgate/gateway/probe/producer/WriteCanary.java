package io.recallgate.gateway.probe.producer;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.gateway.probe.Probe;
import io.recallgate.gateway.probe.ProbeKey;
import io.recallgate.gateway.probe.ProbeName;
import io.recallgate.gateway.probe.ProbeOutcome;
import io.recallgate.recall.canary.Canary;
import io.recallgate.recall.canary.CanaryStore;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Embeds a text that was never embedded before, writes it with its vector, reads both back and removes them. Shows that
 * what is written can be embedded and stored; jobs have no part in it.
 */
public final class WriteCanary implements Probe {

    private static final String PROJECT = "embedding-write";

    private final Embedder embedder;
    private final CanaryStore store;

    /** @param embedder whose documents it sends, behind those of people */
    public WriteCanary(Embedder embedder, CanaryStore store) {
        this.embedder = embedder;
        this.store = store;
    }

    @Override
    public ProbeName name() {
        return ProbeName.EMBEDDING_WRITE;
    }

    @Override
    public @Nullable String disabled(ProbeKey key) {
        return key.provider().equals("none") ? "no-embedding-provider" : null;
    }

    @Override
    public Future<ProbeOutcome> attempt(Deadline deadline, CancelSignal cancel) {
        UUID id = UUID.randomUUID();
        Canary canary = new Canary(id, PROJECT, "A canary sings in the mine, for the time being " + id + ".");
        return embedder.embed(new EmbedRequest(
                        "probe-" + id,
                        List.of(new EmbedInput.Text(canary.content())),
                        InputType.DOCUMENT,
                        Priority.DOCUMENT,
                        deadline,
                        cancel))
                .compose(result -> write(canary, result, deadline));
    }

    private Future<ProbeOutcome> write(Canary canary, EmbedResult result, Deadline deadline) {
        CanaryStore.Embedded embedded = new CanaryStore.Embedded(
                result.model().fingerprint(), result.vectors().get(0));
        return store.put(canary, embedded, deadline)
                .compose(written -> store.holds(canary, embedded, deadline))
                // What is not removed now is removed by a later attempt.
                .compose(held -> store.remove(canary, deadline)
                        .map(removed -> held
                                ? ProbeOutcome.healthy(null)
                                : ProbeOutcome.failed("not-read-back", "what was written was not read back")));
    }
}
