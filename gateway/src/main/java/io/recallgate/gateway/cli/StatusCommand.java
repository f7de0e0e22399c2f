package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.measure.PrometheusText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code status}. */
@Command(
        name = "status",
        description = "Shows a running gateway: its parts, workers, embedding jobs, probes, and how many recalls were"
                + " degraded.",
        footer = {
            "",
            "Exit status 0 when the gateway is ready, 1 when it is not or does not answer.",
            "",
            "Examples:",
            "  ./recallgate status",
            "  ./recallgate status --json | jq .workers.slots"
        })
final class StatusCommand implements Callable<Integer> {

    /** Counter of recalls by mode and outcome. */
    static final String RECALLS_METRIC = "recallgate_recalls_total";

    private final CliContext context;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Option(names = "--json", description = "Print everything as one JSON object, for scripts.")
    private boolean json;

    StatusCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        GatewayClient client = connection.client(context, Duration.ZERO);
        // Health first: it answers at any time, and says why the others may not.
        Answer health = client.get("/health");
        JsonObject status = new JsonObject().put("health", health.json());
        for (String part : new String[] {"workers", "jobs", "probes"}) {
            Answer answer = client.get("/v1/" + part);
            if (answer.status() == 401) {
                answer.jsonOrFail();
            }
            status.put(part, answer.isSuccess() ? answer.json() : unavailable(answer));
        }
        status.put("recalls", recalls(client));
        if (json) {
            context.screen().out().println(status.encode());
        } else {
            print(status);
        }
        String state = text(status.getJsonObject("health"), "status");
        return health.isSuccess() && (state.equals("ready") || state.equals("degraded")) ? 0 : 1;
    }

    private static JsonObject unavailable(Answer answer) {
        return new JsonObject().put("unavailable", answer.problem());
    }

    /** Recalls by what became of them, as the metrics count them since the gateway started. */
    private static JsonObject recalls(GatewayClient client) {
        Answer answer = client.get("/metrics");
        JsonObject recalls = new JsonObject();
        if (!answer.isSuccess()) {
            return recalls.put("unavailable", answer.problem());
        }
        Map<String, Double> reasons = new TreeMap<>();
        double total = 0;
        double degraded = 0;
        for (PrometheusText.Sample sample : PrometheusText.parse(answer.text()).named(RECALLS_METRIC)) {
            total += sample.value();
            String reason = sample.label("degraded");
            if (!reason.isEmpty() && !reason.equals("none")) {
                degraded += sample.value();
                reasons.merge(reason, sample.value(), Double::sum);
            }
        }
        JsonObject byReason = new JsonObject();
        reasons.forEach((reason, count) -> byReason.put(reason, Math.round(count)));
        return recalls.put("total", Math.round(total))
                .put("degraded", Math.round(degraded))
                .put("share", total == 0 ? 0 : Math.round(degraded / total * 10_000) / 10_000.0)
                .put("reasons", byReason);
    }

    private void print(JsonObject status) {
        Screen screen = context.screen();
        JsonObject health = status.getJsonObject("health");
        screen.out().println(screen.bold("gateway") + "  " + text(health, "status"));
        Table parts = Table.of(Table.left("part"), Table.left("status"), Table.elastic("detail"));
        for (String name : health.fieldNames()) {
            if (health.getValue(name) instanceof JsonObject part) {
                JsonObject rest = part.copy();
                rest.remove("status");
                parts.row(name, text(part, "status"), plain(rest));
            }
        }
        section("", parts);
        section("workers", workers(status.getJsonObject("workers")));
        JsonObject jobs = status.getJsonObject("jobs");
        screen.out().println();
        screen.out().println(screen.bold("jobs") + "     " + jobs(jobs));
        JsonObject recalls = status.getJsonObject("recalls");
        screen.out().println(screen.bold("recalls") + "  " + recallLine(recalls));
        JsonObject probes = status.getJsonObject("probes");
        screen.out().println(screen.bold("probes") + "   " + plain(probes));
    }

    private void section(String title, Table table) {
        if (!table.isEmpty()) {
            context.screen().out().println();
            if (!title.isEmpty()) {
                context.screen().out().println(context.screen().bold(title));
            }
            table.print(context.screen());
        }
    }

    private static Table workers(JsonObject workers) {
        Table table = Table.of(
                Table.right("slot"),
                Table.left("state"),
                Table.right("generation"),
                Table.left("since"),
                Table.left("model"),
                Table.right("resident"),
                Table.elastic("operation"));
        if (workers.getValue("slots") instanceof JsonArray slots) {
            for (Object value : slots) {
                if (value instanceof JsonObject slot) {
                    table.row(
                            any(slot, "slot"),
                            any(slot, "state"),
                            any(slot, "generation"),
                            any(slot, "since"),
                            any(slot, "model"),
                            bytes(slot.getValue("resident_bytes")),
                            any(slot, "operation"));
                }
            }
        }
        return table;
    }

    private static String jobs(JsonObject jobs) {
        if (!(jobs.getValue("counts") instanceof JsonObject counts)) {
            return plain(jobs);
        }
        String line = plain(counts);
        if (jobs.getValue("oldest_age_ms") instanceof Number age && age.longValue() > 0) {
            line += String.format(Locale.ROOT, "  (the oldest waits for %.1f s)", age.longValue() / 1_000.0);
        }
        return line;
    }

    private static String recallLine(JsonObject recalls) {
        if (!(recalls.getValue("share") instanceof Number share)) {
            return plain(recalls);
        }
        String line = String.format(
                Locale.ROOT, "%s since the start, %.1f %% degraded", any(recalls, "total"), share.doubleValue() * 100);
        JsonObject reasons = recalls.getJsonObject("reasons");
        return reasons.isEmpty() ? line : line + " (" + plain(reasons) + ")";
    }

    /** An object's fields on one line: {@code name value, name value}. */
    private static String plain(JsonObject object) {
        StringBuilder line = new StringBuilder();
        for (String name : object.fieldNames()) {
            Object value = object.getValue(name);
            if (value != null) {
                line.append(line.length() == 0 ? "" : ", ")
                        .append(name)
                        .append(' ')
                        .append(value);
            }
        }
        return line.toString();
    }

    private static String any(JsonObject object, String field) {
        Object value = object.getValue(field);
        return value == null ? "-" : value.toString();
    }

    private static String bytes(@Nullable Object value) {
        return value instanceof Number number ? String.format(Locale.ROOT, "%,d MiB", number.longValue() >> 20) : "-";
    }

    private static String text(JsonObject object, String field) {
        return object.getValue(field) instanceof String value ? value : "";
    }
}
