package io.recallgate.gateway.cli.conversation;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A conversation in the format of LoCoMo (Maharana et al., 2024): {@code session_N} lists of turns, when each was, and
 * questions with the turns that hold their evidence.
 *
 * <p>Each turn is one memory: content = text and {@code  [caption]} of a shared image, author = speaker, session =
 * conversation and session, occurred_at = the session's time plus the turn's number in minutes, external_id =
 * conversation / dia_id.
 *
 * @param items the turns in order
 * @param questions those with evidence, of every category
 */
public record LocomoConversation(List<SourceItem> items, List<Question> questions) {

    private static final Pattern SESSION = Pattern.compile("session_([0-9]{1,6})");

    /** A turn's id, also with the stray colon that the data set has in one place ({@code D:11:26}). */
    private static final Pattern DIA_ID = Pattern.compile("D:?([0-9]{1,6}):([0-9]{1,6})");

    /** {@code 1:56 pm on 8 May, 2023}. */
    private static final DateTimeFormatter WHEN = new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .appendPattern("h:mm a 'on' d MMMM, uuuu")
            .toFormatter(Locale.ENGLISH);

    /** Copies the lists. */
    public LocomoConversation {
        items = List.copyOf(items);
        questions = List.copyOf(questions);
    }

    /**
     * One question.
     *
     * @param text as asked
     * @param category 1 several facts, 2 time, 3 inference, 4 one fact, 5 adversarial
     * @param evidence external ids of the turns that hold the answer
     */
    public record Question(String text, int category, Set<String> evidence) {
        /** Copies the set. */
        public Question {
            evidence = Set.copyOf(evidence);
        }
    }

    /** Whether an object looks like this format. */
    public static boolean matches(JsonObject file) {
        return file.fieldNames().stream().anyMatch(name -> SESSION.matcher(name).matches());
    }

    /**
     * Reads the whole file.
     *
     * @param name the conversation's name: first part of sessions and external ids
     * @param file its content
     */
    public static LocomoConversation parse(String name, JsonObject file) {
        List<SourceItem> items = new ArrayList<>();
        file.fieldNames().stream()
                .map(SESSION::matcher)
                .filter(Matcher::matches)
                .map(matcher -> Integer.parseInt(matcher.group(1)))
                .sorted()
                .forEach(number -> readSession(name, number, file, items));
        return new LocomoConversation(items, questions(name, file));
    }

    /**
     * The same turns as if they were unrelated notes: each in a random place of a random session. What only a real
     * conversation has is gone, everything else is the same.
     *
     * @param seed the same one shuffles alike
     */
    public LocomoConversation shuffled(long seed) {
        List<SourceItem.Intact> turns = new ArrayList<>();
        for (SourceItem item : items) {
            if (item instanceof SourceItem.Intact turn) {
                turns.add(turn);
            }
        }
        List<SourceItem.Intact> moved = new ArrayList<>(turns);
        Collections.shuffle(moved, new Random(seed));
        List<SourceItem> shuffled = new ArrayList<>();
        for (int i = 0; i < turns.size(); i++) {
            JsonObject memory = moved.get(i).memory().copy();
            memory.put("session", turns.get(i).memory().getValue("session"));
            shuffled.add(new SourceItem.Intact(moved.get(i).place(), memory));
        }
        return new LocomoConversation(shuffled, questions);
    }

    /**
     * The same turns, some of which are pinned.
     *
     * @param every one of so many, from 1
     */
    public LocomoConversation pinned(int every) {
        List<SourceItem> some = new ArrayList<>();
        for (SourceItem item : items) {
            boolean pin = (some.size() + 1) % every == 0;
            some.add(
                    pin && item instanceof SourceItem.Intact turn
                            ? new SourceItem.Intact(
                                    turn.place(), turn.memory().copy().put("pinned", true))
                            : item);
        }
        return new LocomoConversation(some, questions);
    }

    private static void readSession(String name, int number, JsonObject file, List<SourceItem> items) {
        String key = "session_" + number;
        if (!(file.getValue(key) instanceof JsonArray turns)) {
            items.add(new SourceItem.Damaged(key, "invalid-field", "'" + key + "' is not a list of turns"));
            return;
        }
        Instant start = when(file.getValue(key + "_date_time"));
        if (start == null) {
            items.add(new SourceItem.Damaged(
                    key,
                    "invalid-field",
                    "'" + key + "_date_time' is not like '1:56 pm on 8 May, 2023': its turns have no time"));
        }
        for (int i = 0; i < turns.size(); i++) {
            items.add(readTurn(name, key, i + 1, turns.getValue(i), start));
        }
    }

    private static SourceItem readTurn(String name, String session, int number, Object value, @Nullable Instant start) {
        String place = session + "[" + number + "]";
        if (!(value instanceof JsonObject turn)) {
            return new SourceItem.Damaged(place, "invalid-field", "the turn is not an object");
        }
        String text = text(turn, "text");
        String caption = text(turn, "blip_caption");
        String content =
                (text.isEmpty() ? text(turn, "clean_text") : text) + (caption.isEmpty() ? "" : " [" + caption + "]");
        String id = text(turn, "dia_id");
        if (content.isBlank() || id.isEmpty()) {
            return new SourceItem.Damaged(place, "invalid-field", "the turn has no text or no dia_id");
        }
        JsonObject memory = new JsonObject()
                .put("content", content.strip())
                .put("kind", "turn")
                .put("session", name + "/" + session)
                .put("external_id", externalId(name, id));
        if (!text(turn, "speaker").isEmpty()) {
            memory.put("author", text(turn, "speaker"));
        }
        if (start != null) {
            memory.put("occurred_at", start.plus(Duration.ofMinutes(number)).toString());
        }
        return new SourceItem.Intact(id, memory);
    }

    private static List<Question> questions(String name, JsonObject file) {
        List<Question> questions = new ArrayList<>();
        if (!(file.getValue("qa") instanceof JsonArray all)) {
            return questions;
        }
        for (Object value : all) {
            if (value instanceof JsonObject question
                    && question.getValue("category") instanceof Number category
                    && question.getValue("evidence") instanceof JsonArray evidence) {
                Set<String> ids = new LinkedHashSet<>();
                for (Object one : evidence) {
                    // One string may name several turns, separated by ';' or ','.
                    Matcher matcher = DIA_ID.matcher(String.valueOf(one));
                    while (matcher.find()) {
                        ids.add(externalId(name, "D" + matcher.group(1) + ":" + matcher.group(2)));
                    }
                }
                if (!ids.isEmpty() && !text(question, "question").isBlank()) {
                    questions.add(new Question(text(question, "question"), category.intValue(), ids));
                }
            }
        }
        return questions;
    }

    private static String externalId(String name, String diaId) {
        return name + "/" + diaId;
    }

    private static @Nullable Instant when(@Nullable Object text) {
        if (text == null) {
            return null;
        }
        try {
            return LocalDateTime.parse(text.toString().strip(), WHEN).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            // Reported by the caller as a damaged session time; the turns themselves are kept.
            return null;
        }
    }

    private static String text(JsonObject object, String field) {
        return object.getValue(field) instanceof String value ? value : "";
    }
}
