package io.recallgate.recall.lexical;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.apache.lucene.analysis.CharArraySet;

/** Lists of words that say nothing about what a text is about. */
final class StopWords {

    /** Broader than Lucene's. */
    static final CharArraySet ENGLISH = english();

    private StopWords() {}

    /** The words as the analysis sees them, in lower case and without accents. */
    static CharArraySet folded(CharArraySet words) {
        CharArraySet folded = new CharArraySet(words.size(), false);
        for (Object word : words) {
            folded.add(TermReader.folded(new String((char[]) word)));
        }
        return CharArraySet.unmodifiableSet(folded);
    }

    private static CharArraySet english() {
        CharArraySet words = new CharArraySet(256, false);
        try (InputStream stream = Objects.requireNonNull(
                        StopWords.class.getResourceAsStream("stop-words.txt"), "stop-words.txt is not in the jar");
                BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            reader.lines()
                    .filter(line -> !line.startsWith("#"))
                    .flatMap(line -> Arrays.stream(line.split(" ", -1)))
                    .filter(word -> !word.isBlank())
                    .forEach(words::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CharArraySet.unmodifiableSet(words);
    }
}
