package io.recallgate.example;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Remembers and recalls over the event bus: all that a verticle in the same JVM or cluster needs. */
public class MemoryVerticle extends VerticleBase {

    @Override
    public Future<?> start() {
        JsonArray memories = new JsonArray().add(new JsonObject().put("content", "The cat is called Minou."));
        return ask("recallgate.remember", new JsonObject().put("memories", memories))
                .compose(stored -> ask("recallgate.recall", new JsonObject().put("query", "What is the cat called?")))
                .onSuccess(answer -> vertx.eventBus().publish("example.answer", answer.getJsonArray("hits")));
    }

    private Future<JsonObject> ask(String address, JsonObject body) {
        return vertx.eventBus()
                .<JsonObject>request(address, body.put("owner", "local"))
                .map(reply -> reply.body());
    }
}
