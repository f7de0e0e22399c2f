package io.recallgate.gateway.cli;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The answer to {@code GET /v1/recall/stats} for people: a line for each mode, and one with advice where there is any. */
final class RecallStatsLines {

    private RecallStatsLines() {}

    /** None for an answer that is none, or when nobody has recalled anything. */
    static List<String> of(JsonObject stats) {
        List<String> lines = new ArrayList<>();
        if (!(stats.getValue("modes") instanceof JsonObject modes)) {
            return lines;
        }
        long hours = stats.getLong("window_seconds", 0L) / 3_600;
        for (String name : modes.fieldNames()) {
            if (modes.getValue(name) instanceof JsonObject mode) {
                lines.add(line(name, hours, mode));
            }
        }
        if (stats.getValue("advice") instanceof String advice) {
            lines.add("advice: " + advice);
        }
        if (stats.getValue("log") instanceof JsonObject log && log.getLong("dropped", 0L) > 0) {
            lines.add(log.getLong("dropped") + " recalls are missing in these figures");
        }
        return lines;
    }

    private static String line(String name, long hours, JsonObject mode) {
        StringBuilder line =
                new StringBuilder(String.format(Locale.ROOT, "%s in %d h: %,d", name, hours, mode.getLong("n", 0L)));
        if (mode.getValue("total_ms") instanceof JsonObject spans) {
            line.append(String.format(
                    Locale.ROOT,
                    ", p50 %,.1f ms, p95 %,.1f ms, max %,.1f ms",
                    spans.getDouble("p50", 0.0),
                    spans.getDouble("p95", 0.0),
                    spans.getDouble("max", 0.0)));
        }
        if (mode.getValue("degraded") instanceof JsonObject degraded && degraded.getLong("n", 0L) > 0) {
            line.append(String.format(Locale.ROOT, ", %.1f %% degraded", 100 * degraded.getDouble("share", 0.0)));
        }
        count(line, mode, "slow", "slow");
        count(line, mode, "failed", "failed");
        count(line, mode, "knowledge_gaps", "found nothing");
        return line.toString();
    }

    private static void count(StringBuilder line, JsonObject mode, String field, String words) {
        long count = mode.getLong(field, 0L);
        if (count > 0) {
            line.append(", ").append(count).append(' ').append(words);
        }
    }
}
