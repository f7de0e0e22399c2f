package io.recallgate.recall.bus;

import io.recallgate.recall.api.DegradeReason;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.UUID;

/** Publishes what an operator may want to see live on {@link #EVENTS}. Ids and reasons only, no text. Thread-safe. */
public final class RecallEvents {

    /** Where the embedding pool publishes, too. */
    public static final String EVENTS = "recallgate.events";

    private final Vertx vertx;

    /** @param vertx whose event bus is used */
    public RecallEvents(Vertx vertx) {
        this.vertx = vertx;
    }

    /** A hybrid recall was answered without its vector leg. */
    public void degraded(DegradeReason reason) {
        publish(new JsonObject().put("type", "degradation").put("reason", reason.wireName()));
    }

    /** An embedding job failed for good. */
    public void jobFailed(long job, UUID memory, String code) {
        publish(new JsonObject()
                .put("type", "job-failed")
                .put("job", job)
                .put("memory_id", memory.toString())
                .put("code", code));
    }

    private void publish(JsonObject event) {
        vertx.eventBus().publish(EVENTS, event);
    }
}
