package io.recallgate.recall.lexical;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.de.GermanAnalyzer;
import org.apache.lucene.analysis.de.GermanLightStemFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.es.SpanishAnalyzer;
import org.apache.lucene.analysis.es.SpanishLightStemFilter;
import org.apache.lucene.analysis.fr.FrenchAnalyzer;
import org.apache.lucene.analysis.fr.FrenchLightStemFilter;
import org.apache.lucene.analysis.it.ItalianAnalyzer;
import org.apache.lucene.analysis.it.ItalianLightStemFilter;
import org.apache.lucene.analysis.nl.DutchAnalyzer;
import org.apache.lucene.analysis.pt.PortugueseAnalyzer;
import org.apache.lucene.analysis.pt.PortugueseLightStemFilter;
import org.apache.lucene.analysis.ru.RussianAnalyzer;
import org.apache.lucene.analysis.ru.RussianLightStemFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.tartarus.snowball.ext.DutchStemmer;

/**
 * The languages whose words are stemmed. Stems and stop words are Lucene's, but for English, whose broad list of stop
 * words does better on conversations. Chinese, Japanese and Korean have no stems and are analysed alike in all of them.
 */
public enum Language {
    /** English, and whatever is not recognised as another one. */
    ENGLISH("en") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new PorterStemFilter(words);
        }

        @Override
        CharArraySet stopWords() {
            return StopWords.ENGLISH;
        }
    },
    /** German. */
    GERMAN("de") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new GermanLightStemFilter(words);
        }

        @Override
        CharArraySet stopWords() {
            return GermanAnalyzer.getDefaultStopSet();
        }
    },
    /** French. */
    FRENCH("fr") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new FrenchLightStemFilter(words);
        }

        @Override
        CharArraySet stopWords() {
            return FrenchAnalyzer.getDefaultStopSet();
        }
    },
    /** Spanish. */
    SPANISH("es") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new SpanishLightStemFilter(words);
        }

        @Override
        CharArraySet stopWords() {
            return SpanishAnalyzer.getDefaultStopSet();
        }
    },
    /** Italian. */
    ITALIAN("it") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new ItalianLightStemFilter(words);
        }

        @Override
        CharArraySet stopWords() {
            return ItalianAnalyzer.getDefaultStopSet();
        }
    },
    /** Portuguese. */
    PORTUGUESE("pt") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new PortugueseLightStemFilter(words);
        }

        @Override
        CharArraySet stopWords() {
            return PortugueseAnalyzer.getDefaultStopSet();
        }
    },
    /** Dutch. */
    DUTCH("nl") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new SnowballFilter(words, new DutchStemmer());
        }

        @Override
        CharArraySet stopWords() {
            return DutchAnalyzer.getDefaultStopSet();
        }
    },
    /** Russian. */
    RUSSIAN("ru") {
        @Override
        TokenStream stemmed(TokenStream words) {
            return new RussianLightStemFilter(words);
        }

        @Override
        CharArraySet stopWords() {
            return RussianAnalyzer.getDefaultStopSet();
        }
    };

    private final String code;

    Language(String code) {
        this.code = code;
    }

    /** Stems of words in lower case and without accents. */
    abstract TokenStream stemmed(TokenStream words);

    /** Words that say nothing about what a text is about, as they are written. */
    abstract CharArraySet stopWords();

    /** Its code of ISO 639-1. */
    public String code() {
        return code;
    }

    /** Whose names of days and months it has. */
    Locale locale() {
        return Locale.forLanguageTag(code);
    }

    /** The language with this code, if it is one of these. */
    public static Optional<Language> of(String code) {
        return Arrays.stream(values())
                .filter(language -> language.code.equals(code))
                .findFirst();
    }

    /** All codes. */
    public static List<String> codes() {
        return Arrays.stream(values()).map(Language::code).toList();
    }
}
