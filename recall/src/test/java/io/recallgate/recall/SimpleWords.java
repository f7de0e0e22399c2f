package io.recallgate.recall;

import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.lexical.LexicalAnalysis;
import io.recallgate.recall.lexical.LexicalDocument;
import java.util.Locale;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An analysis for tests that care about the row and not about its words: lower case, split at what is no letter. */
public final class SimpleWords implements LexicalAnalysis {

    @Override
    public LexicalDocument document(MemoryDraft draft) {
        TreeSet<String> words = Stream.of(
                        draft.content().toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+"))
                .filter(word -> !word.isEmpty() && word.length() < 100)
                .collect(Collectors.toCollection(TreeSet::new));
        return new LexicalDocument(
                words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")),
                words.size(),
                false,
                "en",
                id());
    }

    @Override
    public String id() {
        return "simple";
    }
}
