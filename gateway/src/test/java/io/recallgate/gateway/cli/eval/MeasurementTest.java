package io.recallgate.gateway.cli.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeasurementTest {

    private static List<String> ranking(int size, int place, String id) {
        List<String> ranking = new ArrayList<>();
        for (int i = 1; i <= size; i++) {
            ranking.add(i == place ? id : "other" + i);
        }
        return ranking;
    }

    @Test
    void recallIsTheShareOfTheEvidence() {
        Measurement measurement = new Measurement();
        List<String> ranking = ranking(20, 3, "a");
        ranking.set(6, "b");
        ranking.set(14, "c");

        measurement.add(1, Set.of("a", "b", "c", "d"), ranking, false, 1);

        assertThat(measurement.recallAt5()).isEqualTo(0.25);
        assertThat(measurement.recallAt10()).isEqualTo(0.5);
        assertThat(measurement.recallAt20()).isEqualTo(0.75);
        assertThat(measurement.hitAt10()).isEqualTo(1);
        assertThat(measurement.mrr()).isCloseTo(1 / 3.0, within(1e-9));
    }

    @Test
    void onlyTheTopTwentyCount() {
        Measurement measurement = new Measurement();

        measurement.add(1, Set.of("a"), ranking(30, 21, "a"), false, 1);
        assertThat(measurement.mrr()).isZero();
        assertThat(measurement.recallAt20()).isZero();

        measurement.add(1, Set.of("a"), ranking(30, 20, "a"), false, 1);
        assertThat(measurement.mrr()).isEqualTo(1 / 20.0 / 2);
        assertThat(measurement.recallAt20()).isEqualTo(0.5);
        assertThat(measurement.hitAt10()).isZero();
    }

    @Test
    void aMemoryThatIsListedTwiceCountsOnce() {
        Measurement measurement = new Measurement();

        measurement.add(1, Set.of("a", "b"), List.of("a", "a"), false, 1);

        assertThat(measurement.recallAt10()).isEqualTo(0.5);
    }

    @Test
    void totalsAreOverQuestionsNotOverFiles() {
        Measurement one = new Measurement();
        one.add(1, Set.of("a"), List.of("a"), true, 2_000_000);
        Measurement three = new Measurement();
        for (int i = 0; i < 3; i++) {
            three.add(2, Set.of("a"), List.of(), false, 4_000_000);
        }

        Measurement total = new Measurement();
        total.addAll(one);
        total.addAll(three);

        assertThat(total.recallAt10()).isEqualTo(0.25);
        assertThat(total.degraded()).isEqualTo(1);
        assertThat(total.spans().percentileMillis(50)).isEqualTo(4);
        JsonObject categories = total.toJson().getJsonObject("categories");
        assertThat(categories.getJsonObject("1").getDouble("recall_at_10")).isEqualTo(1);
        assertThat(categories.getJsonObject("2").getInteger("questions")).isEqualTo(3);
    }

    private static JsonObject hit(String id, @Nullable Integer vectorRank) {
        return new JsonObject().put("external_id", id).put("ranks", new JsonObject().put("vector", vectorRank));
    }

    @Test
    void theVectorLegIsRankedByItsOwnRanksAndUnseenPlacesAreMisses() {
        JsonObject answer = new JsonObject()
                .put(
                        "hits",
                        new JsonArray()
                                .add(hit("c", 4))
                                .add(hit("words", null))
                                .add(hit("a", 1))
                                .add(hit("b", 2))
                                .add(hit("far", 30)));

        List<String> ranking = Rankings.of(Series.VECTOR, answer);

        assertThat(ranking).hasSize(20).startsWith("a", "b", null, "c", null);
        Measurement measurement = new Measurement();
        measurement.add(1, Set.of("c"), ranking, false, 1);
        assertThat(measurement.mrr()).isEqualTo(0.25);
        assertThat(measurement.knownPlaces(10)).isCloseTo(3 / 10.0, within(1e-9));
        assertThat(measurement.knownPlaces(Measurement.DEPTH)).isCloseTo(3 / 20.0, within(1e-9));
        assertThat(Rankings.of(Series.HYBRID, answer)).containsExactly("c", "words", "a", "b", "far");
    }
}
