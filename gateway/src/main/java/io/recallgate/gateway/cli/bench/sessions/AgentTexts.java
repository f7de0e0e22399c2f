package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.SyntheticMemories;
import java.util.SplittableRandom;

/** What a made-up agent's user asks and its tools print, the same for the same seed. Used by one thread. */
final class AgentTexts {

    private static final String[] WORDS = {
        "return",
        "if (this.lease.isPassed()) {",
        "}",
        "private final",
        "Deadline",
        "for (var row : rows)",
        "null,",
        "INFO  pool ready",
        "WARN  retry in 250 ms",
        "at io.example.Worker.run(Worker.java:42)",
        "select id, name from",
        "where owner = $1",
        "café",
        "=>",
        "await client.send(request);",
        "0x7f3a",
        "test passed in",
        "ms",
        "import",
        "\"content-type\": \"application/json\"",
        "diff --git a/src b/src",
        "+++",
        "@@ -12,7 +12,9 @@"
    };

    /** Of the outputs so many percent are of medium length, and so many long ones. */
    private static final int MEDIUM_PERCENT = 6;

    private static final int LONG_PERCENT = 1;

    private final SplittableRandom random;
    private final SyntheticMemories questions;

    AgentTexts(long seed) {
        random = new SplittableRandom(seed);
        questions = new SyntheticMemories(seed, 0);
    }

    /** How many rounds of tools a turn has, 1 to 5. */
    int rounds() {
        return random.nextInt(1, 6);
    }

    /** What a user asks: a sentence or some, and a question that memories can answer. */
    String question() {
        return "Please go on with " + words(random.nextInt(40, 300)) + ". By the way, " + questions.question();
    }

    /** What a tool prints: mostly short, now and then a whole file. */
    String output() {
        int kind = random.nextInt(100);
        if (kind < LONG_PERCENT) {
            return words(random.nextInt(10_000, 24_000));
        }
        return kind < LONG_PERCENT + MEDIUM_PERCENT
                ? words(random.nextInt(1_200, 3_000))
                : words(random.nextInt(80, 500));
    }

    private String words(int chars) {
        StringBuilder text = new StringBuilder(chars + 64);
        int line = 0;
        while (text.length() < chars) {
            String word = WORDS[random.nextInt(WORDS.length)];
            text.append(word).append(' ').append(random.nextInt(100));
            line += word.length();
            if (line > 70) {
                text.append('\n');
                line = 0;
            } else {
                text.append(' ');
            }
        }
        return text.toString();
    }
}
