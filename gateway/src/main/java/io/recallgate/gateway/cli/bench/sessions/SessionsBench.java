package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.console.CommandFailedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns of long conversations with tools through a gateway of its own, one scenario after the other, and whether all that was
 * sent, answered and remembered is right. Used by one thread.
 */
public final class SessionsBench {

    private final BenchContext context;

    /** @param context for progress and time */
    public SessionsBench(BenchContext context) {
        this.context = context;
    }

    /**
     * What to do.
     *
     * @param scenarios in this order
     * @param lengths messages that sessions begin with, one session for each
     * @param turns requests of each session that are measured
     * @param warm requests of each session before
     * @param sessions how many there are at once, where there are many
     * @param memories in the knowledge base
     * @param backlog memories that are being embedded meanwhile, where there is a backlog
     * @param restarts how often the gateway is killed, where it is
     * @param windowTokens of the models
     * @param embeddings {@code local} or {@code none}, where no scripted server takes their place
     * @param seed of all texts
     */
    public record Plan(
            List<Scenario> scenarios,
            List<Integer> lengths,
            int turns,
            int warm,
            int sessions,
            int memories,
            int backlog,
            int restarts,
            int windowTokens,
            String embeddings,
            long seed) {

        /** Copies the lists. */
        public Plan {
            scenarios = List.copyOf(scenarios);
            lengths = List.copyOf(lengths);
        }
    }

    /**
     * What was measured.
     *
     * @param scenarios in their order
     * @param violations what was found wrong, the first ones in words
     * @param violationCount how many
     */
    public record Result(List<ScenarioResult> scenarios, List<String> violations, int violationCount) {

        /** Copies the lists. */
        public Result {
            scenarios = List.copyOf(scenarios);
            violations = List.copyOf(violations);
        }
    }

    /**
     * Measures.
     *
     * @param directory for data, empty
     * @throws CommandFailedException if a gateway does not come up, or a turn is not answered
     */
    public Result run(Path directory, Plan plan) {
        if (plan.scenarios().contains(Scenario.READ_WORKERS_HUNG) && !StoppedThreads.isPossible()) {
            throw new CommandFailedException(
                    "threads of a gateway can be stopped only with a JDK: run with one, or leave "
                            + Scenario.READ_WORKERS_HUNG.label() + " out");
        }
        Violations violations = new Violations();
        List<ScenarioResult> results = new ArrayList<>();
        try (ScenarioParts parts = ScenarioParts.start(context, plan, directory)) {
            for (Scenario scenario : plan.scenarios()) {
                results.add(new ScenarioRun(context, plan, scenario, parts, violations).run());
            }
        }
        return new Result(results, violations.told(), violations.count());
    }
}
