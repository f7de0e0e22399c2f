package io.recallgate.bench.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.model.TextModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Texts of a wanted number of tokens, no two alike, so that nothing is ever the same work twice. */
final class Texts {

    private static final String[] WORDS = {
        "harbour",
        "lantern",
        "invoice",
        "piano",
        "garden",
        "ticket",
        "violin",
        "letter",
        "mountain",
        "soup",
        "train",
        "meeting",
        "blue",
        "window",
        "river",
        "engine",
        "paper",
        "coffee",
        "market",
        "bridge"
    };

    private final TextModel model;
    private final Random random = new Random(7);

    Texts() {
        model = RealModel.factory().open(RealModel.NAME);
    }

    void close() {
        model.close();
    }

    /** @param tokens at least 8, with what the model adds itself */
    String of(int tokens) {
        StringBuilder text = new StringBuilder();
        int words = Math.max(1, tokens - 6);
        for (int i = 0; i < words; i++) {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
        }
        while (count(text) > tokens) {
            text.setLength(text.lastIndexOf(" ", text.length() - 2) + 1);
        }
        while (count(text) < tokens) {
            text.append("a ");
        }
        return text.toString().strip();
    }

    List<String> of(int tokens, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(of(tokens));
        }
        return texts;
    }

    private int count(CharSequence text) {
        return model.tokenize(new EmbedInput.Text(text.toString()), InputType.DOCUMENT)
                .tokens();
    }
}
