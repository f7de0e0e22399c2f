package io.recallgate.gateway.cli.eval;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads rankings of external ids out of recall answers. */
final class Rankings {

    private Rankings() {}

    static List<@Nullable String> of(Series series, JsonObject answer) {
        return series == Series.VECTOR ? vectorLeg(answer) : served(answer);
    }

    /** The hits as they were served. */
    private static List<@Nullable String> served(JsonObject answer) {
        List<@Nullable String> ranking = new ArrayList<>();
        for (JsonObject hit : hits(answer)) {
            ranking.add(externalId(hit));
        }
        return ranking;
    }

    /** The hits by their rank in the vector leg; null where no hit has that rank. */
    private static List<@Nullable String> vectorLeg(JsonObject answer) {
        @Nullable String[] places = new @Nullable String[Measurement.DEPTH];
        int last = 0;
        for (JsonObject hit : hits(answer)) {
            if (hit.getValue("ranks") instanceof JsonObject ranks && ranks.getValue("vector") instanceof Number rank) {
                if (rank.intValue() >= 1 && rank.intValue() <= places.length) {
                    places[rank.intValue() - 1] = externalId(hit);
                }
                last = Math.max(last, Math.min(rank.intValue(), places.length));
            }
        }
        List<@Nullable String> ranking = new ArrayList<>();
        for (int i = 0; i < last; i++) {
            ranking.add(places[i]);
        }
        return ranking;
    }

    private static List<JsonObject> hits(JsonObject answer) {
        List<JsonObject> hits = new ArrayList<>();
        if (answer.getValue("hits") instanceof JsonArray list) {
            for (Object value : list) {
                if (value instanceof JsonObject hit) {
                    hits.add(hit);
                }
            }
        }
        return hits;
    }

    private static @Nullable String externalId(JsonObject hit) {
        return hit.getValue("external_id") instanceof String id ? id : null;
    }
}
