package io.recallgate.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.RecallgateRouter;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example of the README, beside a real gateway in the same Vert.x. */
@Timeout(120)
class MemoryVerticleTest {

    @TempDir
    Path directory;

    @Test
    void aVerticleRemembersAndRecallsOverTheEventBus() throws Exception {
        Vertx vertx = Vertx.vertx();
        try {
            JsonObject config =
                    new JsonObject().put("data-dir", directory.resolve("data").toString());
            RecallgateRouter.open(vertx, config).ready().await(90, TimeUnit.SECONDS);
            CompletableFuture<JsonArray> answer = new CompletableFuture<>();
            vertx.eventBus().<JsonArray>localConsumer("example.answer", message -> answer.complete(message.body()));

            vertx.deployVerticle(new MemoryVerticle()).await(30, TimeUnit.SECONDS);

            JsonArray hits = answer.get(10, TimeUnit.SECONDS);
            assertThat(hits.getJsonObject(0).getString("content")).isEqualTo("The cat is called Minou.");
        } finally {
            vertx.close().await(60, TimeUnit.SECONDS);
        }
    }
}
