package io.recallgate.bench.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.model.TextModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Made-up texts, no two alike, so that nothing is ever the same work twice. The same ones in every run. */
final class Texts implements AutoCloseable {

    private static final List<String> WORDS = List.of(
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
            "bridge");

    private final Random random = new Random(7);
    private @Nullable TextModel model;

    /** As a document, with what the model adds itself. Opens a model of its own. */
    String of(int tokens) {
        StringBuilder text = new StringBuilder(ofWords(Math.max(1, tokens - 6)));
        while (count(text) > tokens) {
            text.setLength(text.lastIndexOf(" "));
        }
        while (count(text) < tokens) {
            text.append(" a");
        }
        return text.toString();
    }

    List<String> of(int tokens, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(of(tokens));
        }
        return texts;
    }

    /** About as many tokens and a few more. Needs no model. */
    String ofWords(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            text.append(i == 0 ? "" : " ").append(WORDS.get(random.nextInt(WORDS.size())));
        }
        return text.toString();
    }

    List<String> ofWords(int words, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(ofWords(words));
        }
        return texts;
    }

    private int count(CharSequence text) {
        TextModel opened = model;
        if (opened == null) {
            opened = RealModel.factory().open(RealModel.NAME);
            model = opened;
        }
        return opened.tokenize(new EmbedInput.Text(text.toString()), InputType.DOCUMENT)
                .tokens();
    }

    @Override
    public void close() {
        if (model != null) {
            model.close();
        }
    }
}
