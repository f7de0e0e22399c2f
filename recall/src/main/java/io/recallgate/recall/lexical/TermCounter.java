package io.recallgate.recall.lexical;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.text.Normalizer;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import org.apache.lucene.analysis.tokenattributes.TypeAttribute;

/** Counts the terms of a text. Thread-safe: each thread has its own token stream. */
final class TermCounter {

    /** How often each term occurs, in order of first occurrence, and how long the text is. */
    record Counts(Map<String, Integer> terms, int length, boolean truncated) {}

    /** No limit, for texts that are bounded otherwise. */
    static final int UNBOUNDED = Integer.MAX_VALUE;

    /**
     * Words joined by signs that the tokenizer drops: {@code HTTP/2}, {@code C++}, {@code c#}, {@code a-b}, {@code
     * me@host}, {@code std::map}. They are terms as a whole too. Bounded repetition without backtracking, so that no text is slow.
     */
    private static final Pattern COMPOUND = Pattern.compile(
            "[\\p{L}\\p{N}_.]{1,64}+(?:[/\\-@#:+]{1,2}+[\\p{L}\\p{N}_.]{1,64}+){1,8}|[\\p{L}]{1,2}(?:\\+\\+|#)");

    private static final Pattern EDGE_DOTS = Pattern.compile("^\\.+|\\.+$");

    private final RecallAnalyzer analyzer = new RecallAnalyzer();

    /**
     * Counts.
     *
     * @param text any text; lone surrogates and control characters are harmless
     * @param maxTerms how many distinct terms to take; what comes later is left out and {@code truncated} says so
     * @param budgetBytes how many bytes of a tsvector the terms may take
     * @param lookup whether single characters of longer CJK runs are left out: a query is sharper without them
     */
    Counts count(String text, int maxTerms, int budgetBytes, boolean lookup) {
        Collector collector = new Collector(maxTerms, budgetBytes);
        String normal = Normalizer.normalize(text, Normalizer.Form.NFKC).replace('\u2019', '\'');
        try (TokenStream stream = analyzer.tokenStream("text", normal)) {
            CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
            PositionIncrementAttribute step = stream.addAttribute(PositionIncrementAttribute.class);
            TypeAttribute type = stream.addAttribute(TypeAttribute.class);
            stream.reset();
            String held = null;
            int bigramsBefore = 0;
            while (stream.incrementToken()) {
                boolean bigram = CJKBigramFilter.DOUBLE_TYPE.equals(type.type());
                boolean single = CJKBigramFilter.SINGLE_TYPE.equals(type.type());
                if (lookup && single) {
                    // A single is kept only if no bigram starts or ends with it.
                    if (held != null) {
                        collector.add(held, true);
                    }
                    held = bigramsBefore > 0 ? null : term.toString();
                    bigramsBefore = 0;
                    continue;
                }
                if (held != null && !bigram) {
                    collector.add(held, true);
                }
                held = null;
                bigramsBefore = bigram ? 1 : 0;
                // Parts of an identifier stand at the place of the whole: the text is not longer for being split.
                collector.add(term.toString(), step.getPositionIncrement() > 0 && !bigram);
            }
            if (held != null) {
                collector.add(held, true);
            }
            stream.end();
        } catch (IOException e) {
            // A string cannot fail to be read.
            throw new UncheckedIOException(e);
        }
        addCompounds(normal, collector);
        return collector.counts();
    }

    private static void addCompounds(String normal, Collector collector) {
        Matcher matcher = COMPOUND.matcher(normal);
        while (matcher.find()) {
            String whole = EDGE_DOTS.matcher(matcher.group()).replaceAll("");
            collector.add(folded(whole.toLowerCase(Locale.ROOT)), false);
        }
    }

    private static String folded(String text) {
        char[] input = text.toCharArray();
        char[] output = new char[4 * input.length];
        int length = ASCIIFoldingFilter.foldToASCII(input, 0, output, 0, input.length);
        return new String(output, 0, length);
    }

    /** Bounded counting. */
    private static final class Collector {
        private final int maxTerms;
        private final Map<String, Integer> terms = new LinkedHashMap<>();
        private long bytesLeft;
        private int length;
        private boolean truncated;

        Collector(int maxTerms, int budgetBytes) {
            this.maxTerms = maxTerms;
            this.bytesLeft = budgetBytes;
        }

        void add(String term, boolean advances) {
            String clean = TsText.clean(term);
            if (clean.isEmpty()) {
                return;
            }
            if (advances) {
                length++;
            }
            Integer before = terms.get(clean);
            if (before == null) {
                // Three bytes a UTF-16 unit at most, plus entry, count and three positions.
                int cost = 3 * clean.length() + 12;
                if (terms.size() >= maxTerms || cost > bytesLeft) {
                    truncated = true;
                    return;
                }
                bytesLeft -= cost;
            }
            terms.merge(clean, 1, Integer::sum);
        }

        Counts counts() {
            return new Counts(terms, length, truncated);
        }
    }
}
