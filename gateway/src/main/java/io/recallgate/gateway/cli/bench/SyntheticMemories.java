package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.conversation.ConversationSource;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Texts of a made-up team, the same for the same seed: sentences put together from parts, 8 to 60 words, a tenth with an
 * identifier, in sessions of 40 turns. Used by one thread.
 */
public final class SyntheticMemories implements ConversationSource {

    private static final int SESSION_TURNS = 40;
    private static final long FIRST_SECOND =
            Instant.parse("2025-01-06T09:00:00Z").getEpochSecond();

    private static final String[] PEOPLE = {"Ada", "Bela", "Chidi", "Dana", "Emre", "Fen", "Goro", "Hana"};

    private static final String[] SUBJECTS = {
        "the invoice export", "our staging cluster", "the login page", "the nightly backup", "the search index",
        "the mobile client", "the rate limiter", "the onboarding guide", "the billing worker", "the image pipeline",
        "the French translation", "the audit log", "the vendor contract", "the office move", "the summer release",
        "the retry queue", "the cache layer", "the customer survey", "the payment provider", "the data warehouse"
    };

    private static final String[] EVENTS = {
        "broke again after the upgrade", "needs a second review", "is twice as fast since Tuesday",
        "was postponed by two weeks", "got a new owner", "lost a message during failover",
        "passed the load test", "will be rewritten in spring", "costs more than we planned",
        "has no documentation yet", "confused three customers", "was approved by legal",
        "runs out of memory at night", "moved to another region", "no longer supports old clients",
        "waits for a decision from finance"
    };

    private static final String[] DETAILS = {
        "I noticed it while walking the dog.",
        "The graph shows a step at noon.",
        "Let us talk about it on Monday.",
        "Nobody has complained so far.",
        "The logs say connection reset.",
        "We agreed to keep the old behaviour.",
        "It took most of the afternoon.",
        "Please add a test before merging.",
        "The fix is one line long.",
        "Marketing wants screenshots by Friday.",
        "I would rather wait for the vendor.",
        "The budget is 4,000 euros.",
        "There are 12 open tickets about it.",
        "The train was late, so I read the whole report.",
        "My sister bakes the cake for the release party.",
        "The room on the third floor is free at ten."
    };

    private static final String[] IDENTIFIERS = {
        "user_id",
        "HTTP/2",
        "retryAfterMillis",
        "parseHeader()",
        "ERR_4012",
        "v2.14.1",
        "billing-worker-7",
        "SELECT … FOR UPDATE",
        "content-type",
        "max_connections"
    };

    private final SplittableRandom random;
    private final int count;
    private int next;

    /**
     * @param seed same seed, same texts
     * @param count how many
     */
    public SyntheticMemories(long seed, int count) {
        this.random = new SplittableRandom(seed);
        this.count = count;
    }

    @Override
    public @Nullable SourceItem next() {
        if (next == count) {
            return null;
        }
        int number = next++;
        JsonObject memory = new JsonObject()
                .put("content", text())
                .put("kind", "turn")
                .put("role", "user")
                .put("author", pick(PEOPLE))
                .put("session", session(number))
                .put(
                        "occurred_at",
                        Instant.ofEpochSecond(FIRST_SECOND + number * 60L).toString())
                .put("external_id", externalId(number));
        return new SourceItem.Intact(Integer.toString(number), memory);
    }

    /** The session of one, by its place. */
    static String session(int number) {
        return "bench/" + number / SESSION_TURNS;
    }

    /** The external id of one, by its place. */
    static String externalId(int number) {
        return "bench/" + number;
    }

    /** A question about texts of this kind. */
    public String question() {
        return switch (random.nextInt(4)) {
            case 0 -> "what happened to " + pick(SUBJECTS) + "?";
            case 1 -> "who said that " + pick(SUBJECTS) + " " + pick(EVENTS) + "?";
            case 2 -> pick(PEOPLE) + " " + pick(SUBJECTS) + " " + pick(IDENTIFIERS);
            default ->
                "which " + pick(SUBJECTS).substring(4) + " " + pick(EVENTS) + " in week " + random.nextInt(1, 53);
        };
    }

    @Override
    public long positionBytes() {
        return next;
    }

    @Override
    public long sizeBytes() {
        return count;
    }

    @Override
    public void close() {}

    private String text() {
        StringBuilder text = new StringBuilder();
        int sentences = random.nextInt(1, 5);
        for (int i = 0; i < sentences; i++) {
            text.append(i == 0 ? "" : " ");
            String subject = pick(SUBJECTS);
            text.append(Character.toUpperCase(subject.charAt(0))).append(subject, 1, subject.length());
            text.append(' ').append(pick(EVENTS));
            if (random.nextInt(10) == 0) {
                text.append(" because of ").append(pick(IDENTIFIERS));
            }
            text.append(random.nextInt(3) == 0 ? " in week " + random.nextInt(1, 53) + ". " : ". ");
            text.append(pick(DETAILS));
        }
        return text.toString();
    }

    private String pick(String[] parts) {
        return parts[random.nextInt(parts.length)];
    }
}
