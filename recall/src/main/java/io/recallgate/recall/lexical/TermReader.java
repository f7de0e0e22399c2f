package io.recallgate.recall.lexical;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.KeywordAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import org.apache.lucene.analysis.tokenattributes.TypeAttribute;
import org.jspecify.annotations.Nullable;

/** Reads a text term by term. Thread-safe: each thread has its own token stream. */
final class TermReader {

    /**
     * Words joined by signs that the tokenizer drops: {@code HTTP/2}, {@code C++}, {@code c#}, {@code a-b}, {@code
     * me@host}, {@code std::map}. They are terms as a whole too. Bounded repetition without backtracking, so that no text is slow.
     */
    private static final Pattern COMPOUND = Pattern.compile(
            "[\\p{L}\\p{N}_.]{1,64}+(?:[/\\-@#:+]{1,2}+[\\p{L}\\p{N}_.]{1,64}+){1,8}|[\\p{L}]{1,2}(?:\\+\\+|#)");

    private static final Pattern EDGE_DOTS = Pattern.compile("^\\.+|\\.+$");

    /** The place of a term that stands nowhere by itself. */
    static final int NOWHERE = 0;

    private final RecallAnalyzer analyzer;

    /** @param language whose stems and stop words count */
    TermReader(Language language) {
        this.analyzer = new RecallAnalyzer(language);
    }

    /** What is done with each term. */
    @FunctionalInterface
    interface Sink {
        /**
         * Takes it.
         *
         * @param term its stem
         * @param word its own form; the same where it has no other stem
         * @param place from 1; stop words take places too, and parts of an identifier stand where the whole does. {@link
         *     #NOWHERE} for a compound, whose parts have places
         * @param advances whether the text is a word longer by it
         */
        void take(String term, String word, int place, boolean advances);
    }

    /** As it is compared: one form of each character, and one apostrophe. */
    static String normal(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC).replace('\u2019', '\'');
    }

    /** As words are compared: lower case, without accents. */
    static String folded(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        char[] input = lower.toCharArray();
        char[] output = new char[4 * input.length];
        int length = ASCIIFoldingFilter.foldToASCII(input, 0, output, 0, input.length);
        return new String(output, 0, length);
    }

    /**
     * Reads.
     *
     * @param text any text; lone surrogates and control characters are harmless
     * @param lookup whether single characters of longer CJK runs are left out: a query is sharper without them
     */
    void read(String text, boolean lookup, Sink sink) {
        String normal = normal(text);
        try (TokenStream stream = analyzer.tokenStream("text", normal)) {
            new Reading(stream, lookup, sink).run();
        } catch (IOException e) {
            // A string cannot fail to be read.
            throw new UncheckedIOException(e);
        }
        Matcher matcher = COMPOUND.matcher(normal);
        while (matcher.find()) {
            String whole = folded(EDGE_DOTS.matcher(matcher.group()).replaceAll(""));
            sink.take(whole, whole, NOWHERE, false);
        }
    }

    /** One reading of one text. */
    private static final class Reading {
        private final TokenStream stream;
        private final boolean lookup;
        private final Sink sink;
        private int place;
        private int bigramsBefore;
        /** A single character that is a term only if no bigram starts or ends with it. */
        private @Nullable String held;

        private int heldPlace;

        Reading(TokenStream stream, boolean lookup, Sink sink) {
            this.stream = stream;
            this.lookup = lookup;
            this.sink = sink;
        }

        void run() throws IOException {
            CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
            PositionIncrementAttribute step = stream.addAttribute(PositionIncrementAttribute.class);
            TypeAttribute type = stream.addAttribute(TypeAttribute.class);
            KeywordAttribute own = stream.addAttribute(KeywordAttribute.class);
            stream.reset();
            String word = "";
            int increment = 0;
            while (stream.incrementToken()) {
                if (own.isKeyword()) {
                    // The word in its own form; its stem follows at the same place.
                    word = term.toString();
                    increment = step.getPositionIncrement();
                    continue;
                }
                place += increment;
                take(term.toString(), word, type.type(), increment > 0);
            }
            release();
            stream.end();
        }

        private void take(String term, String word, String type, boolean moved) {
            boolean bigram = CJKBigramFilter.DOUBLE_TYPE.equals(type);
            if (lookup && CJKBigramFilter.SINGLE_TYPE.equals(type)) {
                release();
                held = bigramsBefore > 0 ? null : term;
                heldPlace = place;
                bigramsBefore = 0;
                return;
            }
            if (!bigram) {
                release();
            }
            held = null;
            bigramsBefore = bigram ? 1 : 0;
            // Parts of an identifier stand at the place of the whole: the text is not longer for being split.
            sink.take(term, word, place, moved && !bigram);
        }

        private void release() {
            if (held != null) {
                sink.take(held, held, heldPlace, true);
                held = null;
            }
        }
    }
}
