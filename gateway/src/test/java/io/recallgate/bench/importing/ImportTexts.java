package io.recallgate.bench.importing;

import io.recallgate.gateway.cli.conversation.ConversationSource;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Notes of 20 to 60 tokens, the same for the same seed, no two alike. Used by one thread. */
final class ImportTexts implements ConversationSource {

    private static final String[] WORDS =
            ("the a our this keeper garden rose morning evening river train meeting budget"
                            + " release plan customer invoice server deploys waters plants delays reviews finds breaks before"
                            + " after because while slowly again tomorrow Kyoto Lisbon Oslo team vendor contract backup")
                    .split(" ", -1);

    private final SplittableRandom random;
    private final int count;
    private int next;

    /**
     * @param seed same seed, same texts
     * @param count how many
     */
    ImportTexts(long seed, int count) {
        this.random = new SplittableRandom(seed);
        this.count = count;
    }

    @Override
    public @Nullable SourceItem next() {
        if (next == count) {
            return null;
        }
        String place = Integer.toString(next);
        return new SourceItem.Intact(
                place, new JsonObject().put("content", text()).put("external_id", "bench/" + place));
    }

    /** The next ones as they are. */
    List<String> some(int texts) {
        List<String> some = new ArrayList<>(texts);
        for (int i = 0; i < texts; i++) {
            some.add(text());
        }
        return some;
    }

    /** Words in the order of a question, some of which are in many texts. */
    String question() {
        return "which " + words(random.nextInt(4, 9)) + "?";
    }

    private String text() {
        return "Note " + next++ + " " + words(random.nextInt(14, 50)) + ".";
    }

    private String words(int length) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < length; i++) {
            words.append(i == 0 ? "" : " ").append(WORDS[random.nextInt(WORDS.length)]);
        }
        return words.toString();
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
}
