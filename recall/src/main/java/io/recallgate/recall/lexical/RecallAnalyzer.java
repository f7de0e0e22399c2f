package io.recallgate.recall.lexical;

import java.util.Arrays;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.fr.FrenchAnalyzer;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.miscellaneous.KeywordRepeatFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterGraphFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterIterator;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.util.ElisionFilter;

/**
 * The chain for documents and queries, which is the same in every language but for its stems and stop words. Unicode word boundaries; runs of CJK become bigrams and
 * single characters; identifiers are kept whole and split at underscores, dots, case changes and between letters and
 * digits; lower case without accents, before anything is looked up or stemmed, so that accents never matter; in English broad stop words and
 * Porter stems, which beat Lucene's narrower defaults on conversations. Thread-safe.
 */
final class RecallAnalyzer extends Analyzer {

    private static final byte[] DELIMITERS = delimiters();
    private static final int SPLIT_AND_KEEP = WordDelimiterGraphFilter.GENERATE_WORD_PARTS
            | WordDelimiterGraphFilter.GENERATE_NUMBER_PARTS
            | WordDelimiterGraphFilter.SPLIT_ON_CASE_CHANGE
            | WordDelimiterGraphFilter.SPLIT_ON_NUMERICS
            | WordDelimiterGraphFilter.PRESERVE_ORIGINAL;

    /** The articles that French and Italian put in front of a word with an apostrophe. */
    private static final CharArraySet ARTICLES = articles();

    private final Language language;
    private final CharArraySet stopWords;

    /** @param language whose stems and stop words it has */
    RecallAnalyzer(Language language) {
        this.language = language;
        this.stopWords = StopWords.folded(language.stopWords());
    }

    @Override
    protected TokenStreamComponents createComponents(String fieldName) {
        StandardTokenizer source = new StandardTokenizer();
        // Bigrams first: the filter joins tokens by their type and offsets, which the later ones may change.
        TokenStream chain = new CJKBigramFilter(source, ALL_SCRIPTS, true);
        chain = switch (language) {
            case ENGLISH -> new EnglishPossessiveFilter(chain);
            case FRENCH, ITALIAN -> new ElisionFilter(chain, ARTICLES);
            default -> chain;
        };
        chain = new WordDelimiterGraphFilter(chain, false, DELIMITERS, SPLIT_AND_KEEP, null);
        chain = new LowerCaseFilter(chain);
        chain = new ASCIIFoldingFilter(chain);
        chain = new StopFilter(chain, stopWords);
        // Each word as it is, and stemmed after it at the same place: beginnings of words are looked for in the former.
        chain = new KeywordRepeatFilter(chain);
        chain = language.stemmed(chain);
        return new TokenStreamComponents(source, chain);
    }

    private static CharArraySet articles() {
        CharArraySet articles = new CharArraySet(FrenchAnalyzer.DEFAULT_ARTICLES, true);
        articles.addAll(
                List.of("c", "l", "all", "dall", "dell", "nell", "sull", "coll", "pell", "gl", "agl", "dagl", "degl"));
        articles.addAll(List.of("negl", "sugl", "un", "m", "t", "s", "v", "d"));
        return CharArraySet.unmodifiableSet(articles);
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
}
