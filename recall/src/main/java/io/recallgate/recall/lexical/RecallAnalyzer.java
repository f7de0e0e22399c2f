package io.recallgate.recall.lexical;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.miscellaneous.KeywordRepeatFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterGraphFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterIterator;
import org.apache.lucene.analysis.standard.StandardTokenizer;

/**
 * The one chain for documents and queries in every language. Unicode word boundaries; runs of CJK become bigrams and
 * single characters; identifiers are kept whole and split at underscores, dots, case changes and between letters and
 * digits; lower case without accents; broad English stop words; Porter stems, which beat Lucene's narrower English
 * defaults on conversations. Thread-safe.
 */
final class RecallAnalyzer extends Analyzer {

    private static final CharArraySet STOP_WORDS = stopWords();
    private static final byte[] DELIMITERS = delimiters();
    private static final int SPLIT_AND_KEEP = WordDelimiterGraphFilter.GENERATE_WORD_PARTS
            | WordDelimiterGraphFilter.GENERATE_NUMBER_PARTS
            | WordDelimiterGraphFilter.SPLIT_ON_CASE_CHANGE
            | WordDelimiterGraphFilter.SPLIT_ON_NUMERICS
            | WordDelimiterGraphFilter.PRESERVE_ORIGINAL;

    @Override
    protected TokenStreamComponents createComponents(String fieldName) {
        StandardTokenizer source = new StandardTokenizer();
        // Bigrams first: the filter joins tokens by their type and offsets, which the later ones may change.
        TokenStream chain = new CJKBigramFilter(source, ALL_SCRIPTS, true);
        chain = new EnglishPossessiveFilter(chain);
        chain = new WordDelimiterGraphFilter(chain, false, DELIMITERS, SPLIT_AND_KEEP, null);
        chain = new LowerCaseFilter(chain);
        chain = new ASCIIFoldingFilter(chain);
        chain = new StopFilter(chain, STOP_WORDS);
        // Each word as it is, and stemmed after it at the same place: beginnings of words are looked for in the former.
        chain = new KeywordRepeatFilter(chain);
        chain = new PorterStemFilter(chain);
        return new TokenStreamComponents(source, chain);
    }

    private static final int ALL_SCRIPTS =
            CJKBigramFilter.HAN | CJKBigramFilter.HIRAGANA | CJKBigramFilter.KATAKANA | CJKBigramFilter.HANGUL;

    /** Lucene's table, but an apostrophe is part of its word, so that "don't" stays a stop word and not two parts. */
    private static byte[] delimiters() {
        byte[] table = Arrays.copyOf(
                WordDelimiterIterator.DEFAULT_WORD_DELIM_TABLE, WordDelimiterIterator.DEFAULT_WORD_DELIM_TABLE.length);
        table['\''] = WordDelimiterIterator.ALPHA;
        return table;
    }

    private static CharArraySet stopWords() {
        CharArraySet words = new CharArraySet(256, false);
        try (InputStream stream = Objects.requireNonNull(
                        RecallAnalyzer.class.getResourceAsStream("stop-words.txt"),
                        "stop-words.txt is not in the jar");
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
