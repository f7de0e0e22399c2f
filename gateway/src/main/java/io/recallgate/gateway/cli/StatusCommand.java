package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.measure.PrometheusText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
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
        description =
                "Shows a running gateway: its parts, workers, probes, embedding jobs, and how many recalls were degraded.",
        footer = {
            "",
            "Exit status 0 when the gateway is ready, 1 when it is not or does not answer.",
            "",
            "Examples:",
            "  ./recallgate status",
            "  ./recallgate status --json | jq .workers.slots"
        })
final class StatusCommand implements Callable<Integer> {

    /** Recalls by the mode asked for and the mode that answered: a timer's count. */
    private static final String RECALLS = "recallgate_recall_seconds_count";

    /** Hybrid recalls that were answered with less, by reason. */
    private static final String DEGRADED = "recallgate_recall_degraded_total";

    /** Counters of the pool that say that something went wrong. */
    private static final List<String> TROUBLES = List.of(
            "start_failures",
            "workers_lost",
            "terminations",
            "expired_initialisations",
            "expired_dispatches",
            "expired_executions",
            "unanswered_terminations",
            "unconfirmed_exits",
            "out_of_memory",
            "illegal_edges",
            "defects");

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
        Answer stats = client.get("/v1/recall/stats");
        status.put("recall_stats", stats.isSuccess() ? stats.json() : unavailable(stats));
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
        PrometheusText page = PrometheusText.parse(answer.text());
        Map<String, Double> reasons = new TreeMap<>();
        page.named(DEGRADED).forEach(sample -> reasons.merge(sample.label("reason"), sample.value(), Double::sum));
        JsonObject byReason = new JsonObject();
        reasons.forEach((reason, count) -> byReason.put(reason, Math.round(count)));
        double degraded =
                reasons.values().stream().mapToDouble(Double::doubleValue).sum();
        double hybrid = page.named(RECALLS).stream()
                .filter(sample -> sample.label("requested").equals("hybrid"))
                .mapToDouble(PrometheusText.Sample::value)
                .sum();
        return recalls.put("total", Math.round(page.sum(RECALLS).orElse(0)))
                .put("hybrid", Math.round(hybrid))
                .put("degraded", Math.round(degraded))
                .put("share", hybrid == 0 ? 0.0 : Math.round(degraded / hybrid * 10_000) / 10_000.0)
                .put("reasons", byReason);
    }

    private void print(JsonObject status) {
        Screen screen = context.screen();
        JsonObject health = status.getJsonObject("health");
        screen.out().println(screen.bold("gateway") + "  " + text(health, "status"));
        Table parts = Table.of(Table.left("part"), Table.left("status"), Table.elastic("detail"));
        for (String name : health.fieldNames()) {
            if (!name.equals("probes") && health.getValue(name) instanceof JsonObject part) {
                JsonObject rest = part.copy();
                rest.remove("status");
                parts.row(name, text(part, "status"), plain(rest));
            }
        }
        section("", parts);
        section("workers", workers(status.getJsonObject("workers")));
        screen.out().println(screen.bold("queue") + "    " + queue(status.getJsonObject("workers")));
        String pool = pool(status.getJsonObject("workers"));
        if (!pool.isEmpty()) {
            screen.out().println(screen.bold("pool") + "     " + pool);
        }
        probes(screen, status.getJsonObject("probes"));
        JsonObject jobs = status.getJsonObject("jobs");
        screen.out().println();
        screen.out().println(screen.bold("jobs") + "     " + jobs(jobs));
        if (jobs.getValue("reembedding") instanceof JsonObject model) {
            screen.out().println(screen.bold("vectors") + "  " + vectors(model));
        }
        JsonObject recalls = status.getJsonObject("recalls");
        screen.out().println(screen.bold("recalls") + "  " + recallLine(recalls));
        RecallStatsLines.of(status.getJsonObject("recall_stats"))
                .forEach(each -> screen.out().println("         " + each));
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

    private void probes(Screen screen, JsonObject probes) {
        section("probes", ProbeTable.of(probes));
        ProbeTable.notes(probes).forEach(each -> screen.out().println("  " + each));
    }

    private static Table workers(JsonObject workers) {
        Table table = Table.of(
                Table.right("slot"),
                Table.left("state"),
                Table.right("generation"),
                Table.right("for"),
                Table.left("model"),
                Table.right("loads"),
                Table.right("charged"),
                Table.right("debt"),
                Table.elastic("operation"));
        if (workers.getValue("slots") instanceof JsonArray slots) {
            for (Object value : slots) {
                if (value instanceof JsonObject slot) {
                    table.row(
                            any(slot, "slot"),
                            any(slot, "state"),
                            any(slot, "generation"),
                            age(slot),
                            any(slot, "model"),
                            any(slot, "loads"),
                            slot.getValue("charged_bytes") == null ? "-" : mebibytes(slot, "charged_bytes") + " MiB",
                            any(slot, "retry_debt"),
                            any(slot, "operation"));
                }
            }
        }
        return table;
    }

    private static String queue(JsonObject workers) {
        if (!(workers.getValue("queue") instanceof JsonObject queue)) {
            return workers.getValue("slots") == null ? plain(workers) : "-";
        }
        StringBuilder line = new StringBuilder();
        for (String kind : new String[] {"queries", "documents"}) {
            if (queue.getValue(kind) instanceof JsonObject waiting) {
                line.append(line.length() == 0 ? "" : ", ")
                        .append(kind)
                        .append(' ')
                        .append(any(waiting, "depth"));
                if (waiting.getValue("oldest_age_ms") instanceof Number age && age.longValue() > 0) {
                    line.append(" (oldest ").append(age).append(" ms)");
                }
            }
        }
        if (workers.getValue("memory_gate") instanceof JsonObject gate) {
            line.append(", memory ")
                    .append(mebibytes(gate, "charged_bytes"))
                    .append(" of ")
                    .append(mebibytes(gate, "budget_bytes"))
                    .append(" MiB charged");
        }
        return line.toString();
    }

    /** Rates, and of what went wrong all that is not zero. */
    private static String pool(JsonObject workers) {
        StringBuilder line = new StringBuilder();
        if (workers.getValue("throughput") instanceof JsonObject rates
                && rates.getValue("rows_per_second") instanceof Number rows
                && rates.getValue("tokens_per_second") instanceof Number tokens
                && rates.getValue("window_ms") instanceof Number window) {
            line.append(String.format(
                    Locale.ROOT,
                    "%,.1f rows/s, %,.1f tokens/s over %d s",
                    rows.doubleValue(),
                    tokens.doubleValue(),
                    window.longValue() / 1_000));
        }
        append(line, workers.getValue("quarantined"), "quarantined");
        if (workers.getValue("counters") instanceof JsonObject counters) {
            for (String name : TROUBLES) {
                append(line, counters.getValue(name), name.replace('_', ' '));
            }
        }
        if (workers.getValue("dropped") instanceof JsonObject dropped) {
            dropped.forEach(kind -> append(line, kind.getValue(), "late " + kind.getKey()));
        }
        return line.toString();
    }

    private static void append(StringBuilder line, @Nullable Object count, String name) {
        if (count instanceof Number number && number.longValue() > 0) {
            line.append(line.length() == 0 ? "" : ", ").append(name).append(' ').append(number);
        }
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

    private static String vectors(JsonObject model) {
        String line = String.format(
                Locale.ROOT,
                "of %s of %s memories, in %s passages",
                any(model, "embedded"),
                any(model, "memories"),
                any(model, "passages"));
        return model.getValue("incomplete") instanceof Number incomplete && incomplete.longValue() > 0
                ? line + ", " + incomplete + " with text that is found by its words only"
                : line;
    }

    private static String recallLine(JsonObject recalls) {
        if (!(recalls.getValue("share") instanceof Number share)) {
            return plain(recalls);
        }
        String line = String.format(
                Locale.ROOT,
                "%s since the start, %s of them hybrid, %.1f %% of these degraded",
                any(recalls, "total"),
                any(recalls, "hybrid"),
                share.doubleValue() * 100);
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

    private static String age(JsonObject slot) {
        return slot.getValue("state_age_ms") instanceof Number age
                ? String.format(Locale.ROOT, "%,.1f s", age.longValue() / 1_000.0)
                : "-";
    }

    private static String mebibytes(JsonObject object, String field) {
        return object.getValue(field) instanceof Number number
                ? String.format(Locale.ROOT, "%,d", number.longValue() >> 20)
                : "-";
    }

    private static String text(JsonObject object, String field) {
        return object.getValue(field) instanceof String value ? value : "";
    }
}
