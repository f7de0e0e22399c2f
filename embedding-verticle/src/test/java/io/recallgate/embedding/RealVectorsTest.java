package io.recallgate.embedding;

import static io.recallgate.embedding.RealBus.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import io.recallgate.embedding.bus.EmbeddingClient;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.embedding.protocol.FromWorker;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * CONTRACTS A25 over the real bus, with a quantised model, whose vectors would depend on their company, and with a
 * float32 one, whose do not.
 */
@Timeout(180)
class RealVectorsTest {

    private static final String TEXT = "The retrospective moved to Thursday because Ana is travelling.";
    private static final List<String> COMPANY = List.of(
            "ok",
            "We keep the spare key under the third flower pot, next to the gate that does not close.",
            "word ".repeat(120),
            "SELECT owner, count(*) FROM memories GROUP BY owner",
            "また明日、駅で会いましょう。",
            "Tax returns are due at the end of July, and nobody has found the receipts yet.",
            "x");

    private final GatedModels models = new GatedModels();

    @Test
    void a25AQuantisedModelRunsRowByRowSoThatNeitherPlaceNorCrowdChangesAVector() {
        try (RealBus bus = RealBus.warm(models, 2)) {
            assertBatchInvariant(bus, false);

            assertSameEverywhere(bus);

            assertThat(models.nativeRuns())
                    .as("a run for each row")
                    .isEqualTo(models.ran().size());
        }
    }

    @Test
    void a25AFloat32ModelRunsRowsTogetherAndNeitherPlaceNorCrowdChangesAVector() {
        String model = RealModel.float32Directory().toString();
        try (RealBus bus = new RealBus(model, models, PoolLimits.defaults(2)).awaitIdle()) {
            assertBatchInvariant(bus, true);

            assertSameEverywhere(bus);

            assertThat(models.nativeRuns())
                    .as("rows share runs")
                    .isLessThan(models.ran().size() / 2);
            assertThat(bus.tap.all(FromWorker.Completed.class))
                    .as("operations share slices")
                    .anySatisfy(slice -> assertThat(slice.parts()).hasSizeGreaterThan(1));
        }
    }

    /** What the pool would do to the quantised model if it believed that its rows may share a run. */
    @Test
    void a25TheQuantisedModelIsNotBatchInvariantWhichIsWhyTheMeasurementDecides() {
        models.together();
        try (RealBus bus = RealBus.warm(models, 1)) {
            EmbeddingVector alone = bus.vectors("alone", TEXT).get(0);

            double lowest = 1;
            for (int place = 0; place <= COMPANY.size(); place++) {
                lowest = Math.min(lowest, alone.dot(inCompany(bus, place)));
            }

            assertThat(lowest).isLessThan(0.9999);
        }
    }

    private void assertBatchInvariant(RealBus bus, boolean expected) {
        assertThat(bus.tap.all(FromWorker.Ready.class))
                .hasSize(2)
                .allSatisfy(ready -> assertThat(ready.batchInvariant()).isEqualTo(expected));
        assertThat(bus.status().getJsonArray("slots").stream()
                        .map(slot -> ((JsonObject) slot).getBoolean("batch_invariant")))
                .containsOnly(expected);
    }

    private static void assertSameEverywhere(RealBus bus) {
        EmbeddingVector alone = bus.vectors("alone", TEXT).get(0);
        for (int place = 0; place <= COMPANY.size(); place++) {
            assertThat(alone.dot(inCompany(bus, place)))
                    .as("at place %s", place)
                    .isGreaterThanOrEqualTo(0.9999);
        }
        List<Future<EmbedResult>> crowd = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            // The same id for each: ids are in the scope of their client.
            crowd.add(new EmbeddingClient(bus.vertx)
                    .embed(request(COMPANY.get(i % COMPANY.size()) + " from client " + i, TEXT)));
        }
        for (Future<EmbedResult> one : crowd) {
            assertThat(get(one).vectors().get(1).dot(alone)).isGreaterThanOrEqualTo(0.9999);
        }
    }

    private static EmbeddingVector inCompany(RealBus bus, int place) {
        List<String> texts = new ArrayList<>(COMPANY);
        texts.add(place, TEXT);
        return bus.vectors("place-" + place, texts.toArray(String[]::new)).get(place);
    }

    private static EmbedRequest request(String... texts) {
        return new EmbedRequest(
                "same-id",
                Stream.of(texts).<EmbedInput>map(EmbedInput.Text::new).toList(),
                InputType.DOCUMENT,
                Priority.DOCUMENT,
                Deadline.afterMillis(SystemClock.INSTANCE, 60_000),
                new CancelSignal());
    }
}
