package io.recallgate.gateway.cli.eval;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.conversation.ListSource;
import io.recallgate.gateway.cli.conversation.LocomoConversation;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.ImportReport;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.gateway.cli.importing.Watched;
import io.recallgate.time.Clock;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Measures one conversation: imports it into a project of its own, waits until it is embedded, asks every question of
 * categories 1 to 4 that has evidence. Questions of one series follow each other; a first one is asked unmeasured, since
 * it pays for caches. Used by one thread.
 */
public final class Evaluation {

    /** A thousand turns take seconds; half an hour is for a machine that is busy with something else. */
    private static final Duration EMBED_BOUND = Duration.ofMinutes(30);

    private static final Duration EMBED_STALL = Duration.ofMinutes(1);

    /** Category 5 has questions without an answer in the conversation. */
    private static final int LAST_CATEGORY = 4;

    private final GatewayClient gateway;
    private final Screen screen;
    private final Clock clock;
    private final Pauses pauses;

    /** @param gateway its own project is not touched */
    public Evaluation(GatewayClient gateway, Screen screen, Clock clock, Pauses pauses) {
        this.gateway = gateway;
        this.screen = screen;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * A conversation that can be asked about.
     *
     * @param name its name
     * @param client of the project that holds it
     * @param questions those that have an answer in it
     */
    public record Prepared(String name, GatewayClient client, List<LocomoConversation.Question> questions) {
        /** Copies the questions. */
        public Prepared {
            questions = List.copyOf(questions);
        }
    }

    /**
     * Imports a conversation and waits until it is embedded.
     *
     * @param name of the conversation
     * @param wanted what is to be measured
     * @throws CommandFailedException if the conversation cannot be imported and embedded whole: figures of a part would
     *     not be comparable
     */
    public Prepared prepare(String name, LocomoConversation conversation, List<Series> wanted) {
        GatewayClient client = gateway.withProject("eval-" + name.replaceAll("[^A-Za-z0-9_-]", "-"));
        Watched watched = bringIn(name, conversation, client);
        // Words need no vectors: without a provider they can be measured all the same.
        boolean wordsOnly = watched.end() == Watched.End.NO_PROVIDER && wanted.equals(List.of(Series.LEXICAL));
        if (!watched.complete() && !wordsOnly) {
            throw new CommandFailedException(name + ": " + watched.explain());
        }
        return new Prepared(name, client, askable(name, conversation));
    }

    private Watched bringIn(String name, LocomoConversation conversation, GatewayClient client) {
        ImportReport report;
        try (Progress progress = new Progress(screen, clock, name + ": importing")) {
            int size = conversation.items().size();
            report = new Importer(client, null, importer -> progress.show(importer.accepted(), size, "turns"))
                    .run(new ListSource(conversation.items()), clock::nanoTime);
        }
        if (report.rejectedCount() > 0) {
            SourceItem.Damaged first = report.rejected().get(0);
            throw new CommandFailedException(name + ": " + report.rejectedCount() + " turns were refused, the first is "
                    + first.place() + ": " + first.detail());
        }
        try (Progress progress = new Progress(screen, clock, name + ": embedding")) {
            return new EmbeddingWatch(client, clock, pauses).await(EMBED_BOUND, EMBED_STALL, progress);
        }
    }

    /** Questions to ask; evidence that is no turn of the conversation cannot be found by anybody and is left out. */
    private List<LocomoConversation.Question> askable(String name, LocomoConversation conversation) {
        Set<String> turns = new HashSet<>();
        for (SourceItem item : conversation.items()) {
            if (item instanceof SourceItem.Intact readable) {
                turns.add(readable.memory().getString("external_id"));
            }
        }
        List<LocomoConversation.Question> all = conversation.questions().stream()
                .filter(question -> question.category() >= 1 && question.category() <= LAST_CATEGORY)
                .toList();
        List<LocomoConversation.Question> askable = all.stream()
                .map(question -> new LocomoConversation.Question(
                        question.text(),
                        question.category(),
                        Set.copyOf(question.evidence().stream()
                                .filter(turns::contains)
                                .toList())))
                .filter(question -> !question.evidence().isEmpty())
                .toList();
        if (askable.size() < all.size()) {
            screen.err()
                    .println(name + ": " + (all.size() - askable.size())
                            + " questions left out: their evidence is no turn of the conversation");
        }
        if (askable.isEmpty()) {
            throw new CommandFailedException(name + ": no question of categories 1 to 4 with evidence");
        }
        return askable;
    }

    /**
     * Asks all questions.
     *
     * @throws CommandFailedException if one fails
     */
    public Measurement ask(Prepared prepared, Series series) {
        Measurement measurement = new Measurement();
        List<LocomoConversation.Question> questions = prepared.questions;
        GatewayClient client = prepared.client;
        try (Progress progress = new Progress(screen, clock, prepared.name + ": asking (" + series.title() + ")")) {
            client.post("/v1/recall", series.request(questions.get(0).text())).jsonOrFail();
            for (LocomoConversation.Question question : questions) {
                var answer = client.post("/v1/recall", series.request(question.text()));
                JsonObject envelope = answer.jsonOrFail();
                measurement.add(
                        question.category(),
                        question.evidence(),
                        Rankings.of(series, envelope),
                        envelope.getValue("degraded") != null,
                        answer.nanos());
                progress.show(measurement.questions(), questions.size(), "questions");
            }
        }
        return measurement;
    }
}
