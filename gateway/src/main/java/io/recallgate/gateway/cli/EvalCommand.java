package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.console.Table;
import io.recallgate.gateway.cli.conversation.ConversationFiles;
import io.recallgate.gateway.cli.conversation.LocomoConversation;
import io.recallgate.gateway.cli.eval.Ablation;
import io.recallgate.gateway.cli.eval.Evaluation;
import io.recallgate.gateway.cli.eval.Measurement;
import io.recallgate.gateway.cli.eval.Series;
import io.recallgate.gateway.cli.eval.Variant;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code eval FILE…}. */
@Command(
        name = "eval",
        description = "Measures recall on LoCoMo-style conversations: imports each into the project eval-NAME of a"
                + " running gateway, waits until it is embedded, and asks every question of categories 1 to 4.",
        footer = {
            "",
            "A conversation of its own, with the parts that are read:",
            "  {\"session_1_date_time\": \"1:56 pm on 8 May, 2023\",",
            "   \"session_1\": [{\"speaker\": \"Ana\", \"dia_id\": \"D1:1\", \"text\": \"The beta moves to 11 April.\"}],",
            "   \"qa\": [{\"question\": \"When is the beta?\", \"category\": 1, \"evidence\": [\"D1:1\"]}]}",
            "",
            "recall@k is the share of a question's evidence turns among the first k hits, hit@10 whether there",
            "is any, MRR one over the place of the first within the top 20; all averaged over the questions.",
            "The times are whole HTTP requests, one after another.",
            "",
            "--mode all also measures each leg alone. The vector leg is read from the ranks of hybrid answers",
            "with 50 hits; 'known@10' is the share of its top 10 seen there; unseen places count as misses.",
            "",
            "--ablate measures the ranking with each of its signals left out, by overriding the gateway's settings",
            "(which needs the right admin) and taking that back at the end.",
            "--shuffle imports the same turns in random order into eval-NAME-shuffled: notes that have nothing",
            "to do with their neighbours.",
            "",
            "Examples:",
            "  ./recallgate eval conversation.json",
            "  ./recallgate eval --mode all --json data/*.json > eval.json",
            "  ./recallgate eval --ablate data"
        })
final class EvalCommand implements Callable<Integer> {

    /** Any one does; the same one makes the same figures. */
    private static final long SHUFFLE_SEED = 5;

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final CliContext context;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "LoCoMo-style conversations with questions, or directories of them.")
    private List<String> files = List.of();

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "hybrid",
            description = "What to measure: ${COMPLETION-CANDIDATES}; hybrid.")
    private Mode mode = Mode.hybrid;

    @Option(names = "--ablate", description = "Measure the ranking with each of its signals left out instead.")
    private boolean ablate;

    @Option(names = "--shuffle", description = "Import the turns in random order.")
    private boolean shuffle;

    @Option(
            names = "--pin-every",
            paramLabel = "N",
            defaultValue = "0",
            description = "Pin one turn of so many, to see what it costs the others; 0 pins none.")
    @Range(min = 0, max = 1_000_000)
    private int pinEvery;

    @Option(names = "--json", description = "Print figures as one JSON object, with categories, for scripts.")
    private boolean json;

    EvalCommand(CliContext context) {
        this.context = context;
    }

    /** What to measure, named as users write it. */
    enum Mode {
        hybrid,
        lexical,
        vector,
        all;

        List<Series> series() {
            return switch (this) {
                case hybrid -> List.of(Series.HYBRID);
                case lexical -> List.of(Series.LEXICAL);
                case vector -> List.of(Series.VECTOR);
                case all -> List.of(Series.values());
            };
        }
    }

    @Override
    public Integer call() {
        GatewayClient client = connection.client(context, PATIENCE);
        // All files are read first: a wrong name should not show after minutes of work.
        Map<String, LocomoConversation> conversations = new LinkedHashMap<>();
        for (String file : files.stream()
                .flatMap(name -> ConversationFiles.in(name).stream())
                .toList()) {
            LocomoConversation conversation = ConversationFiles.locomo(file);
            String name = ConversationFiles.nameOf(Path.of(file));
            LocomoConversation placed = shuffle ? conversation.shuffled(SHUFFLE_SEED) : conversation;
            conversations.put(
                    name + (shuffle ? "-shuffled" : "") + (pinEvery > 0 ? "-pinned" : ""),
                    pinEvery > 0 ? placed.pinned(pinEvery) : placed);
        }
        Evaluation evaluation = new Evaluation(client, context.screen(), context.clock(), context.pauses());
        if (ablate) {
            List<Evaluation.Prepared> prepared = new ArrayList<>();
            conversations.forEach(
                    (name, conversation) -> prepared.add(evaluation.prepare(name, conversation, Mode.all.series())));
            print(new Ablation(evaluation, client).run(prepared, Variant.ablation()));
        } else {
            measure(evaluation, conversations);
        }
        return 0;
    }

    private void measure(Evaluation evaluation, Map<String, LocomoConversation> conversations) {
        Map<String, Map<Series, Measurement>> results = new LinkedHashMap<>();
        Map<Series, Measurement> total = new EnumMap<>(Series.class);
        mode.series().forEach(series -> total.put(series, new Measurement()));
        conversations.forEach((name, conversation) -> {
            Evaluation.Prepared prepared = evaluation.prepare(name, conversation, mode.series());
            Map<Series, Measurement> one = new EnumMap<>(Series.class);
            mode.series().forEach(series -> one.put(series, evaluation.ask(prepared, series)));
            results.put(name, one);
            one.forEach((series, measurement) -> {
                Measurement sum = total.get(series);
                if (sum != null) {
                    sum.addAll(measurement);
                }
            });
        });
        if (json) {
            printJson(results, total);
        } else {
            printTable(results, total);
        }
    }

    private void print(Map<Variant, Measurement> ablation) {
        Screen screen = context.screen();
        if (json) {
            JsonObject all = new JsonObject();
            ablation.forEach((variant, measurement) -> all.put(variant.title(), measurement.toJson()));
            screen.out().println(all.encode());
            return;
        }
        Table table = Table.of(
                Table.left("ranking"),
                Table.right("R@5"),
                Table.right("R@10"),
                Table.right("R@20"),
                Table.right("MRR"),
                Table.right("hit@10"),
                Table.right("p50 ms"));
        ablation.forEach((variant, m) -> table.row(
                variant.title(),
                share(m.recallAt5()),
                share(m.recallAt10()),
                share(m.recallAt20()),
                share(m.mrr()),
                share(m.hitAt10()),
                millis(m.spans().percentileMillis(50))));
        table.print(screen);
    }

    private void printJson(Map<String, Map<Series, Measurement>> results, Map<Series, Measurement> total) {
        JsonObject filesJson = new JsonObject();
        results.forEach((name, one) -> filesJson.put(name, seriesJson(one)));
        JsonObject all = new JsonObject().put("files", filesJson).put("total", seriesJson(total));
        context.screen().out().println(all.encode());
    }

    private static JsonObject seriesJson(Map<Series, Measurement> measurements) {
        JsonObject object = new JsonObject();
        measurements.forEach((series, measurement) -> object.put(series.title(), measurement.toJson()));
        return object;
    }

    private void printTable(Map<String, Map<Series, Measurement>> results, Map<Series, Measurement> total) {
        Screen screen = context.screen();
        Table table = Table.of(
                Table.left("file"),
                Table.left("mode"),
                Table.right("questions"),
                Table.right("R@5"),
                Table.right("R@10"),
                Table.right("R@20"),
                Table.right("MRR"),
                Table.right("hit@10"),
                Table.right("p50 ms"),
                Table.right("p95 ms"),
                Table.right("p99 ms"),
                Table.right("degraded"),
                Table.right("known@10"));
        results.forEach((name, one) -> one.forEach((series, measurement) -> addRow(table, name, series, measurement)));
        if (results.size() > 1) {
            total.forEach((series, measurement) -> addRow(table, "total", series, measurement));
        }
        table.print(screen);
    }

    private static void addRow(Table table, String name, Series series, Measurement m) {
        table.row(
                name,
                series.title(),
                Integer.toString(m.questions()),
                share(m.recallAt5()),
                share(m.recallAt10()),
                share(m.recallAt20()),
                share(m.mrr()),
                share(m.hitAt10()),
                millis(m.spans().percentileMillis(50)),
                millis(m.spans().percentileMillis(95)),
                millis(m.spans().percentileMillis(99)),
                Integer.toString(m.degraded()),
                series == Series.VECTOR ? share(m.knownPlaces(10)) : "");
    }

    private static String share(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String millis(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
