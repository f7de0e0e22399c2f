package io.recallgate.bench.pool;

import io.recallgate.bench.OptionRange;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./recallgate bench pool}. */
@Command(
        name = "recallgate bench pool",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the embedding pool with the bundled model and two workers, side by side with a bare loop over the"
                    + " same sessions and with LangChain4j's in-process model.",
            "Ratios are medians over rounds in which all take turns. Exit status 1 if a goal is missed."
        },
        footer = {
            "",
            "Examples:",
            "  ./recallgate bench pool",
            "  ./recallgate bench pool throughput --rounds 20 --seconds 3",
            "  ./recallgate bench pool queries cancels --json"
        })
public final class PoolBench implements Callable<Integer> {

    private final PrintStream out;
    private final PrintStream progress;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "WHICH", description = "Any of ${COMPLETION-CANDIDATES}; all without one.", arity = "0..*")
    private List<Part> parts = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds of each, 1 to 1000 (default ${DEFAULT-VALUE}).")
    private int rounds = 9;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "Of each contender in each round of throughput (default ${DEFAULT-VALUE}).")
    private double seconds = 1.5;

    @Option(
            names = "--texts",
            paramLabel = "N",
            description = "Texts of random length for the memory trend, 120 or more (default ${DEFAULT-VALUE}).")
    private int lengths = 12_000;

    @Option(names = "--json", description = "One JSON document instead of a table.")
    private boolean json;

    /** What can be measured, in this order: memory first, while the process is small. */
    enum Part {
        memory,
        throughput,
        queries,
        cancels
    }

    PoolBench(PrintStream out, PrintStream progress) {
        this.out = out;
        this.progress = progress;
    }

    /** Runs it. */
    public static void main(String... arguments) {
        System.exit(command(System.out, System.err).execute(arguments));
    }

    static CommandLine command(PrintStream out, PrintStream progress) {
        return new CommandLine(new PoolBench(out, progress)).setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public Integer call() throws Exception {
        OptionRange.require(spec, "--rounds", rounds, 1, 1_000);
        OptionRange.require(spec, "--seconds", seconds, 0.2, 60);
        OptionRange.require(spec, "--texts", lengths, 120, 10_000_000);
        Set<Part> wanted = parts.isEmpty() ? EnumSet.allOf(Part.class) : EnumSet.copyOf(parts);
        List<Figure> figures = measure(wanted);
        print(figures);
        return figures.stream().allMatch(Figure::met) ? 0 : 1;
    }

    private List<Figure> measure(Set<Part> wanted) throws Exception {
        List<Figure> figures = new ArrayList<>();
        try (Texts texts = new Texts()) {
            for (Part part : wanted) {
                figures.addAll(
                        switch (part) {
                            case memory -> new Endurance(texts, progress::println).measure(lengths);
                            case throughput -> throughput(texts);
                            case queries -> queries(texts);
                            case cancels -> cancels(texts);
                        });
            }
        }
        return figures;
    }

    private List<Figure> throughput(Texts texts) throws Exception {
        try (PoolUnderTest pool = new PoolUnderTest()) {
            return new Throughput(texts, new Throughput.Plan(rounds, seconds), progress::println).measure(pool);
        }
    }

    private List<Figure> queries(Texts texts) throws Exception {
        try (PoolUnderTest pool = new PoolUnderTest()) {
            return new Latency(pool, texts, rounds, progress::println).measure();
        }
    }

    private List<Figure> cancels(Texts texts) throws Exception {
        Cancels cancels = new Cancels(texts, rounds, progress::println);
        List<Figure> figures = new ArrayList<>();
        try (PoolUnderTest pool = new PoolUnderTest()) {
            figures.addAll(cancels.settling(pool));
            figures.addAll(cancels.freeing(pool));
        }
        return figures;
    }

    private void print(List<Figure> figures) {
        if (json) {
            JsonArray array = new JsonArray();
            figures.forEach(figure -> array.add(new JsonObject()
                    .put("what", figure.what())
                    .put("goal", figure.goal())
                    .put("value", figure.value())
                    .put("met", figure.met())));
            out.println(new JsonObject().put("figures", array).encode());
            return;
        }
        int[] widths = new int[2];
        figures.forEach(figure -> {
            widths[0] = Math.max(widths[0], figure.what().length());
            widths[1] = Math.max(widths[1], figure.goal().length());
        });
        for (Figure figure : figures) {
            out.printf(
                    Locale.ROOT,
                    "%-" + widths[0] + "s  %-" + Math.max(1, widths[1]) + "s  %s%s%n",
                    figure.what(),
                    figure.goal(),
                    figure.value(),
                    figure.met() ? "" : "  MISSED");
        }
    }
}
