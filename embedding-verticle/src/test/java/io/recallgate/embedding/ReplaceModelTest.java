package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Another model on a real Vert.x (CONTRACTS A19, A20). */
class ReplaceModelTest extends PoolTest {

    @Test
    void a20RunningWorkEndsWithTheOldModelAndWaitingWorkIsDoneByTheNew() {
        deploy(1);
        CompletableFuture<JsonObject> replaced = new CompletableFuture<>();
        vertx.eventBus().<JsonObject>consumer("recallgate.events", event -> {
            if (event.body().getString("type").equals("model-replaced")) {
                replaced.complete(event.body());
            }
        });
        ScriptedModels.Block block = models.block("running");
        Future<EmbedResult> running = embed("running");
        block.awaitEntered();
        awaitStatus(status -> states(status).allMatch("running"::equals));
        Future<EmbedResult> waiting = embed("waiting");

        JsonObject answer = replaceBy("other");

        assertThat(answer.getJsonObject("model"))
                .isEqualTo(new JsonObject().put("from", "scripted").put("to", "other"));
        assertThat(answer.getString("state")).isEqualTo("draining");
        assertThat(answer.getJsonArray("slots")).hasSize(1);
        assertThat(answer.getJsonArray("slots").getJsonObject(0).getString("state"))
                .isEqualTo("running");
        JsonObject replacement = status().getJsonObject("replacement");
        assertThat(replacement.getInteger("slots_left")).isEqualTo(1);
        assertThat(replacement.getJsonArray("unconfirmed")).isEqualTo(new JsonArray());
        assertThat(replaceBy("other").getString("state")).as("asked for twice").isEqualTo("draining");
        block.release();
        assertThat(join(running).model().name()).isEqualTo("scripted");
        assertThat(join(waiting).model().name()).isEqualTo("other");
        awaitStatus(status -> status.getJsonObject("replacement") == null);
        assertThat(status().getJsonObject("model").getString("name")).isEqualTo("other");
        assertThat(join(pool.ready()).name()).isEqualTo("other");
        assertThat(replaceBy("other").getString("state")).isEqualTo("unchanged");
        assertThat(models.loads()).isEqualTo(2);
        // Told on another event loop than the answers before.
        assertThat(replaced)
                .succeedsWithin(Duration.ofSeconds(30))
                .isEqualTo(new JsonObject()
                        .put("type", "model-replaced")
                        .put("from", "scripted")
                        .put("to", "other"));
    }

    @Test
    void aModelWhoseFilesAreNotRightIsRefusedByFieldAndChangesNothing() {
        deploy(2);
        models.unusable("damaged", "model.onnx is damaged: copy it again");
        ModelIdentity before = join(pool.embedder().model());

        assertThatThrownBy(() -> replaceBy("damaged")).isInstanceOfSatisfying(FailureException.class, failure -> {
            assertThat(failure.code()).isEqualTo(FailureCode.INVALID_FIELD);
            assertThat(failure.field()).isEqualTo("model");
            assertThat(failure.detail()).isEqualTo("model.onnx is damaged: copy it again");
        });

        assertThat(join(pool.embedder().model())).isEqualTo(before);
        assertThat(status().getJsonObject("replacement")).isNull();
        assertThat(generations(status())).containsExactly(1, 1);
        join(embed("still served"));
    }

    @Test
    void a20TheLastWhoAsksWinsHoweverLongTheChecksTake() {
        deploy(1);
        ScriptedModels.Block slow = models.blockCheck("slow");
        Future<JsonObject> first = pool.operations().replaceModel("slow");
        slow.awaitEntered();
        Future<JsonObject> last = pool.operations().replaceModel("quick");
        slow.release();

        assertThat(join(first).getJsonObject("model").getString("to")).isEqualTo("slow");
        assertThat(join(last).getJsonObject("model").getString("to")).isEqualTo("quick");
        awaitStatus(status -> status.getJsonObject("replacement") == null);
        assertThat(join(embed("text")).model().name()).isEqualTo("quick");
    }

    @Test
    void checksAreBounded() {
        deploy(1);
        ScriptedModels.Block slow = models.blockCheck("slow");
        List<Future<JsonObject>> asked = new ArrayList<>();
        for (int i = 0; i < ModelChecks.MAX_CHECKS; i++) {
            asked.add(pool.operations().replaceModel("slow"));
        }
        assertThatThrownBy(() -> replaceBy("one too many"))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.OVERLOADED));
        slow.release();
        asked.forEach(PoolTest::join);
        assertThat(replaceBy("next").getJsonObject("model").getString("to")).isEqualTo("next");
        // Vert.x does not end when it is closed while a verticle is being deployed.
        awaitStatus(status -> states(status).allMatch("idle"::equals));
    }

    @Test
    void a19AReplacementCheckedDuringAShutdownCannotReopenAdmission() {
        deploy(1);
        ScriptedModels.Block slow = models.blockCheck("slow");
        Future<JsonObject> late = pool.operations().replaceModel("slow");
        slow.awaitEntered();

        assertThat(join(pool.shutdown(Deadline.afterMillis(SystemClock.INSTANCE, 60_000)))
                        .isClean())
                .isTrue();
        slow.release();

        assertThatThrownBy(() -> join(late))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.SHUTTING_DOWN));
        assertThatThrownBy(() -> join(embed("late")))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.SHUTTING_DOWN));
        assertThat(models.loads()).isEqualTo(1);
    }

    @Test
    void aNewModelThatDoesNotLoadIsShownWithItsReasonUntilSomebodyDecides() {
        deploy(PoolLimits.defaults(1));
        join(pool.ready());
        models.failNextLoad(new FailureException(FailureCode.MODEL_UNUSABLE, "the graph has no such output"));

        replaceBy("broken");

        awaitStatus(status -> status.getJsonObject("start_trouble") != null);
        assertThat(status().getJsonObject("start_trouble"))
                .isEqualTo(new JsonObject().put("kind", "terminal").put("detail", "the graph has no such output"));
        assertThat(status().getJsonObject("replacement").getString("to")).isEqualTo("broken");
        assertThatThrownBy(() -> join(pool.embedder().model()))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.MODEL_UNUSABLE));
        assertThat(pool.latest().startTrouble()).isNotNull();

        replaceBy("scripted");

        assertThat(join(embed("again")).model().name()).isEqualTo("scripted");
        assertThat(status().getJsonObject("start_trouble")).isNull();
        assertThat(pool.latest().identity()).isEqualTo(join(pool.embedder().model()));
    }

    @Test
    void a20UnderLoadEveryVectorIsOfTheModelItIsLabelledWithAndNoCallerIsLost() {
        deploy(2);
        List<Future<EmbedResult>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            asked.add(embed("text " + i));
            if (i == 100) {
                replaceBy("other");
            }
        }

        List<String> names = asked.stream().map(one -> join(one).model().name()).toList();
        assertThat(Stream.of("scripted", "other")).containsAll(names);
        // What came before may be answered by either, and later than what came after.
        assertThat(names.subList(101, 200)).containsOnly("other");
        awaitStatus(status -> status.getJsonObject("replacement") == null);
        assertThat(models.open()).isEqualTo(2);
    }

    private JsonObject replaceBy(String model) {
        return join(pool.operations().replaceModel(model));
    }
}
