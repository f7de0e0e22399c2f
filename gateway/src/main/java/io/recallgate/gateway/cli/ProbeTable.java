package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.console.Table;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Probes on a terminal. */
final class ProbeTable {

    /** States of which there is nothing to explain. */
    private static final Set<String> FINE = Set.of("healthy", "pending", "disabled", "slow-but-running");

    private ProbeTable() {}

    /** One line for each. */
    static Table of(JsonObject body) {
        Table table = Table.of(
                Table.left("probe"),
                Table.left("state"),
                Table.right("for"),
                Table.left("served"),
                Table.right("took"),
                Table.right("attempts"),
                Table.right("skipped"),
                Table.right("failures"),
                Table.elastic("next"));
        for (JsonObject probe : probes(body)) {
            JsonObject last = last(probe);
            JsonObject counts = probe.getJsonObject("counts", new JsonObject());
            table.row(
                    probe.getString("name", "-"),
                    probe.getString("state", "-"),
                    seconds(probe.getValue("age_ms")),
                    text(last, "mode"),
                    last.getValue("span_ms") instanceof Number span
                            ? String.format(Locale.ROOT, "%,.0f ms", span.doubleValue())
                            : "-",
                    Long.toString(sum(counts.getValue("attempts"))),
                    Long.toString(sum(counts.getValue("skipped_ticks"))),
                    String.valueOf(probe.getValue("failures")),
                    next(probe));
        }
        return table;
    }

    /** Why they are in trouble, and what there is to say about their pace. */
    static List<String> notes(JsonObject body) {
        List<String> lines = new ArrayList<>();
        for (JsonObject probe : probes(body)) {
            if (!FINE.contains(text(probe, "state"))) {
                lines.add(probe.getString("name", "-") + ": " + cause(probe, last(probe)));
            }
            if (probe.getValue("warnings") instanceof JsonArray warnings) {
                warnings.forEach(each -> {
                    if (each instanceof JsonObject warning) {
                        lines.add(probe.getString("name", "-") + ": " + warning.getString("detail", ""));
                    }
                });
            }
        }
        return lines;
    }

    private static JsonObject last(JsonObject probe) {
        return probe.getValue("result") instanceof JsonObject result ? result : new JsonObject();
    }

    private static List<JsonObject> probes(JsonObject body) {
        List<JsonObject> probes = new ArrayList<>();
        if (body.getValue("probes") instanceof JsonArray all) {
            all.forEach(each -> {
                if (each instanceof JsonObject probe) {
                    probes.add(probe);
                }
            });
        }
        return probes;
    }

    private static String next(JsonObject probe) {
        if (probe.getValue("flight") instanceof JsonObject) {
            return "on its way";
        }
        return probe.getValue("next") instanceof JsonObject next
                ? "in " + seconds(next.getValue("in_ms")) + " (" + next.getString("waits_for", "-") + ")"
                : "-";
    }

    private static String cause(JsonObject probe, JsonObject last) {
        String cause = text(probe, "cause");
        String detail = text(last, "detail");
        return detail.equals("-") || detail.isEmpty() || !cause.equals(text(last, "cause"))
                ? cause
                : cause + ": " + detail;
    }

    private static long sum(Object counts) {
        return counts instanceof JsonObject object
                ? object.stream()
                        .mapToLong(entry -> entry.getValue() instanceof Number number ? number.longValue() : 0)
                        .sum()
                : 0;
    }

    private static String seconds(Object millis) {
        return millis instanceof Number number
                ? String.format(Locale.ROOT, "%,.1f s", number.longValue() / 1_000.0)
                : "-";
    }

    private static String text(JsonObject object, String field) {
        return object.getValue(field) instanceof String value ? value : "-";
    }
}
