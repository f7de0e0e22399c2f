package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.console.Table;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints the envelope of a recall for a person. */
final class HitTable {

    /** {@code 2026-01-12T09:30} of an RFC 3339 instant: what fits a column. */
    private static final int MINUTE_CHARACTERS = 16;

    private HitTable() {}

    static void print(Screen screen, JsonObject envelope) {
        List<JsonObject> hits = hits(envelope);
        boolean explain = hits.stream().anyMatch(hit -> hit.getValue("explain") instanceof JsonObject);
        Table table = explain
                ? Table.of(
                        Table.right("#"),
                        Table.right("score"),
                        Table.right("lex"),
                        Table.right("vec"),
                        Table.left("signals"),
                        Table.left("when"),
                        Table.left("who"),
                        Table.elastic("content"))
                : Table.of(
                        Table.right("#"),
                        Table.right("score"),
                        Table.right("lex"),
                        Table.right("vec"),
                        Table.left("when"),
                        Table.left("who"),
                        Table.elastic("content"));
        for (int i = 0; i < hits.size(); i++) {
            table.row(cells(i + 1, hits.get(i), explain).toArray(String[]::new));
        }
        if (table.isEmpty()) {
            screen.out().println("nothing found");
        } else {
            table.print(screen);
        }
        screen.out().println(screen.faint(timings(envelope)));
        if (envelope.getValue("degraded") instanceof JsonObject degraded) {
            screen.out().println(screen.bold("degraded to " + text(degraded, "to") + ": " + text(degraded, "reason")));
        }
    }

    /** One line: where the time went, what served, how much of the scope has vectors. */
    static String timings(JsonObject envelope) {
        StringBuilder line = new StringBuilder();
        if (envelope.getValue("timing_ms") instanceof JsonObject timing) {
            line.append(millis(timing, "total")).append(" ms");
            List<String> stages = new ArrayList<>();
            for (String stage : List.of("embedding", "lexical", "vector", "fusion")) {
                if (timing.getValue(stage) != null) {
                    stages.add(stage + " " + millis(timing, stage));
                }
            }
            if (!stages.isEmpty()) {
                line.append(" (").append(String.join(", ", stages)).append(")");
            }
        }
        if (envelope.getValue("mode") instanceof JsonObject mode) {
            line.append(" · ").append(text(mode, "served"));
        }
        if (envelope.getValue("vector_coverage") instanceof Number coverage) {
            line.append(
                    String.format(Locale.ROOT, " · %.0f %% have vectors", Math.floor(coverage.doubleValue() * 100)));
        }
        return line.toString();
    }

    private static List<String> cells(int number, JsonObject hit, boolean explain) {
        List<String> cells = new ArrayList<>();
        cells.add(Integer.toString(number));
        cells.add(
                hit.getValue("score") instanceof Number score
                        ? String.format(Locale.ROOT, "%.3f", score.doubleValue())
                        : "-");
        JsonObject ranks = hit.getValue("ranks") instanceof JsonObject object ? object : new JsonObject();
        cells.add(ranks.getValue("lexical") == null ? "-" : String.valueOf(ranks.getValue("lexical")));
        cells.add(ranks.getValue("vector") == null ? "-" : String.valueOf(ranks.getValue("vector")));
        if (explain) {
            cells.add(signals(hit));
        }
        String when = text(hit, "occurred_at");
        cells.add(
                when.length() > MINUTE_CHARACTERS
                        ? when.substring(0, MINUTE_CHARACTERS).replace('T', ' ')
                        : when);
        String author = text(hit, "author");
        cells.add(author.isEmpty() ? text(hit, "role") : author);
        cells.add(text(hit, "content"));
        return cells;
    }

    private static String signals(JsonObject hit) {
        if (!(hit.getValue("explain") instanceof JsonObject signals)) {
            return "";
        }
        List<String> parts = new ArrayList<>();
        signals.fieldNames().stream().sorted().forEach(name -> {
            if (signals.getValue(name) instanceof Number value) {
                parts.add(String.format(Locale.ROOT, "%s %.2f", name, value.doubleValue()));
            }
        });
        return String.join(" ", parts);
    }

    private static List<JsonObject> hits(JsonObject envelope) {
        List<JsonObject> hits = new ArrayList<>();
        if (envelope.getValue("hits") instanceof JsonArray list) {
            list.forEach(value -> {
                if (value instanceof JsonObject hit) {
                    hits.add(hit);
                }
            });
        }
        return hits;
    }

    private static String millis(JsonObject timing, String stage) {
        return timing.getValue(stage) instanceof Number number
                ? String.format(Locale.ROOT, "%.1f", number.doubleValue())
                : "-";
    }

    private static String text(JsonObject object, String field) {
        return object.getValue(field) instanceof String value ? value : "";
    }
}
