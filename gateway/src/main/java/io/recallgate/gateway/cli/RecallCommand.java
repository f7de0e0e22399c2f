package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.recall.api.RecallRequest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code recall "QUESTION"}. */
@Command(
        name = "recall",
        description = "Asks a running gateway what it remembers about a question, and prints the hits with where the"
                + " time went.",
        footer = {
            "",
            "Examples:",
            "  ./recallgate recall \"when is the beta due?\"",
            "  ./recallgate recall --mode lexical --limit 3 'parseConfig()'",
            "  ./recallgate recall --json \"who owns the billing service?\" | jq '.hits[0]'",
            "",
            "The columns 'lex' and 'vec' are the hit's rank by words and by meaning; '-' where that leg did",
            "not find it. A line 'degraded to lexical: …' says what was left out and why."
        })
final class RecallCommand implements Callable<Integer> {

    /** Long enough for a gateway that is starting, short enough for a person who waits. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final CliContext context;

    @Mixin
    private final ConnectionOptions connection = new ConnectionOptions();

    @Parameters(index = "0", paramLabel = "QUESTION", description = "What to look for.")
    private String question = "";

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "hybrid",
            description = "hybrid (words and meaning, the default), lexical (words) or strict (literally).")
    private Mode mode = Mode.hybrid;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "10", description = "How many hits, 1 to 50; 10.")
    @Range(min = 1, max = RecallRequest.MAX_LIMIT)
    private int limit;

    @Option(names = "--session", paramLabel = "S", description = "Only memories of this session.")
    private @Nullable String session;

    @Option(names = "--explain", description = "Show what each signal added to the score.")
    private boolean explain;

    @Option(names = "--json", description = "Print the answer as the gateway gave it, for scripts.")
    private boolean json;

    /** How to search, as users write it. */
    enum Mode {
        hybrid,
        lexical,
        strict
    }

    RecallCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        GatewayClient client = connection.client(context, PATIENCE);
        JsonObject request =
                new JsonObject().put("query", question).put("mode", mode.name()).put("limit", limit);
        if (session != null) {
            request.put("session", session);
        }
        if (explain) {
            request.put("explain", true);
        }
        JsonObject envelope = client.post("/v1/recall", request).jsonOrFail();
        if (json) {
            context.screen().out().println(envelope.encode());
        } else {
            HitTable.print(context.screen(), envelope);
        }
        return 0;
    }
}
