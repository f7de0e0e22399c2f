package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.conversation.ConversationFiles;
import io.recallgate.gateway.cli.conversation.ConversationSource;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.ImportReport;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.gateway.cli.importing.Watched;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code demo}. */
@Command(
        name = "demo",
        description = "Starts everything in one process, imports a sample conversation of a small software team, asks"
                + " it three questions, sends a turn of a conversation through the gateway, and stays up until Ctrl-C.",
        footer = {
            "",
            "Conversations are answered here, without a provider, unless RECALLGATE_UPSTREAM is set to live.",
            "The data stays in the data directory (./data): a second start finds it and imports nothing twice.",
            "",
            "Examples:",
            "  ./recallgate demo",
            "  ./recallgate demo --port 0 --data-dir /tmp/recallgate-demo"
        })
final class DemoCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** 188 short turns take two seconds; a machine that needs minutes is told about. */
    private static final Duration EMBED_BOUND = Duration.ofMinutes(5);

    private static final Duration EMBED_STALL = Duration.ofSeconds(45);

    /** Room for a first start that unpacks PostgreSQL and the model on a slow disk. */
    private static final Duration READY_BOUND = Duration.ofMinutes(10);

    private static final List<Question> QUESTIONS = List.of(
            new Question("Why did the job that runs at night crash?", "by meaning: no turn says \"crash\""),
            new Question("parseConfig()", "a code identifier, by its very characters"),
            new Question("ベータ版はいつ出ますか？", "Japanese: when is the beta due? The date was moved in between"));

    private static final String UPSTREAM = "RECALLGATE_UPSTREAM";
    private static final String ANSWERED_HERE = "demo";
    private static final String SAID = "I am baking for the whole team. What must I leave out?";

    private final CliContext context;
    private final GatewayServer server;

    @Mixin
    private final ServerOptions options = new ServerOptions();

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "The gateway's key, if an API keys file is configured. Also RECALLGATE_KEY.")
    private @Nullable String key;

    private record Question(String text, String why) {}

    DemoCommand(CliContext context, GatewayServer server) {
        this.context = context;
        this.server = server;
    }

    @Override
    public Integer call() {
        Map<String, String> environment = options.environment(context);
        environment.putIfAbsent(UPSTREAM, ANSWERED_HERE);
        ServerThread thread = new ServerThread(server, environment, options.file(context));
        thread.start();
        try {
            String url = thread.awaitReady(context, READY_BOUND);
            if (url == null) {
                return thread.exitStatus();
            }
            ConnectionOptions connection = new ConnectionOptions();
            connection.url = url;
            connection.key = key;
            show(
                    connection.client(context, PATIENCE),
                    environment.getOrDefault(UPSTREAM, "").equals(ANSWERED_HERE));
        } catch (CommandFailedException e) {
            if (thread.endsByItself(context)) {
                // Ctrl-C in the middle, or a server that has said itself what is wrong.
                return thread.exitStatus();
            }
            context.screen().err().println("recallgate: the demo failed: " + e.getMessage());
            server.stop();
            thread.exitStatus();
            return 1;
        }
        return thread.exitStatus();
    }

    private void show(GatewayClient client, boolean answeredHere) {
        importSample(client);
        embed(client);
        for (int i = 0; i < QUESTIONS.size(); i++) {
            ask(client, i + 1, QUESTIONS.get(i));
        }
        if (answeredHere) {
            converse(client);
        }
        tellWhatNext(client);
    }

    private void importSample(GatewayClient client) {
        ImportReport report;
        try (ConversationSource sample = ConversationFiles.sample();
                Progress progress = new Progress(context.screen(), context.clock(), "importing the sample")) {
            report = new Importer(client, null, importer -> progress.show(importer.accepted() + " memories"))
                    .run(sample, context.clock()::nanoTime);
        } catch (IOException e) {
            throw new CommandFailedException("cannot read the sample conversation: " + e.getMessage(), e);
        }
        if (report.rejectedCount() > 0) {
            throw new CommandFailedException(
                    report.rejectedCount() + " memories of the sample were refused, the first: "
                            + report.rejected().get(0).detail());
        }
        String what = report.unchanged() == report.accepted()
                ? "sample conversation: already there (%d memories, nothing imported twice)%n"
                : "sample conversation: %d memories in %.1f s%n";
        context.screen().out().printf(Locale.ROOT, what, report.accepted(), report.seconds());
    }

    private void embed(GatewayClient client) {
        Watched watched;
        try (Progress progress = new Progress(context.screen(), context.clock(), "embedding")) {
            watched = new EmbeddingWatch(client, context.clock(), context.pauses())
                    .await(EMBED_BOUND, EMBED_STALL, progress);
        }
        String outcome = "done";
        if (watched.end() == Watched.End.NO_PROVIDER) {
            outcome = "skipped, " + watched.explain();
        } else if (!watched.complete()) {
            outcome = watched.explain() + "; what is not embedded is found by words only";
        }
        context.screen().out().println("embedding: " + outcome);
    }

    private void ask(GatewayClient client, int number, Question question) {
        Screen screen = context.screen();
        screen.out().println();
        screen.out().println(screen.bold(number + ". " + question.text()) + "   (" + question.why() + ")");
        JsonObject request = new JsonObject().put("query", question.text()).put("limit", 3);
        HitTable.print(screen, client.post("/v1/recall", request).jsonOrFail());
    }

    /** Only reads, so that the next start finds the sample as it was. */
    private void converse(GatewayClient client) {
        JsonObject turn = new JsonObject()
                .put("model", "demo")
                .put(
                        "messages",
                        new JsonArray().add(new JsonObject().put("role", "user").put("content", SAID)));
        JsonObject answer = client.post(
                        "/v1/chat/completions",
                        turn,
                        Map.of("x-recallgate-memory", "read", "x-recallgate-session", "recallgate-demo"))
                .jsonOrFail();
        String said = answer.getJsonArray("choices")
                .getJsonObject(0)
                .getJsonObject("message")
                .getString("content");
        Screen screen = context.screen();
        screen.out().println();
        screen.out()
                .println(screen.bold("A turn of a conversation")
                        + "   (POST /v1/chat/completions, as an OpenAI client sends it)");
        screen.out().println("user:      " + SAID);
        screen.out().println("assistant: " + said.replace("\n", "\n  "));
    }

    private void tellWhatNext(GatewayClient client) {
        String url = client.address().url().toString();
        String header = client.address().key() == null ? "" : " -H \"x-recallgate-key: $RECALLGATE_KEY\"";
        String json = header + " -H 'content-type: application/json'";
        Screen screen = context.screen();
        screen.out().println();
        screen.out().println(screen.bold("Try next") + ", in another terminal:");
        if (!header.isEmpty()) {
            screen.out().println("  export RECALLGATE_KEY=…   # the gateway's key, for all of these");
        }
        screen.out()
                .println("  curl -s " + url + "/v1/recall" + json
                        + " -d '{\"query\":\"who must not eat peanuts?\",\"limit\":3}'");
        screen.out()
                .println("  curl -s " + url + "/v1/memories" + json
                        + " -d '{\"content\":\"The demo works\",\"author\":\"me\",\"external_id\":\"demo/1\"}'");
        screen.out().println("  curl -s " + url + "/v1/workers" + header);
        String script = script();
        String other = url.equals(ConnectionOptions.DEFAULT_URL) ? "" : " --url " + url;
        screen.out().println("  " + script + " recall" + other + " \"which name does parcel-sync have now?\"");
        screen.out().println("  " + script + " status" + other);
        screen.out().println();
        screen.out().println("The gateway stays up at " + url + ". Ctrl-C stops it; the data is kept.");
        screen.out().flush();
    }

    /** The script as the next terminal finds it: it may be anywhere but in the script's own directory. */
    private String script() {
        String home = context.environment().getOrDefault("RECALLGATE_HOME", "");
        if (home.isEmpty() || Path.of(home).equals(Path.of("").toAbsolutePath())) {
            return "./recallgate";
        }
        String path = Path.of(home, "recallgate").toString();
        return path.matches("[A-Za-z0-9/._+-]+") ? path : "'" + path.replace("'", "'\\''") + "'";
    }
}
