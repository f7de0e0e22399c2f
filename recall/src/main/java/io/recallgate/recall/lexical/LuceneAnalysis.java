package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.lexical.TermCounter.Counts;
import io.recallgate.recall.lexical.TermCounter.Places;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@link LexicalAnalysis} with Lucene. Pure and thread-safe. A query is analysed in well under a millisecond, since only
 * its first {@link #MAX_QUERY_CHARS} characters are; a document of 1 MiB takes up to a second.
 */
public final class LuceneAnalysis implements LexicalAnalysis {

    /** Rises with every change of what becomes of a text. */
    static final String ID = "2";

    /** How much of a question is analysed, in UTF-16 units. Longer ones are pasted documents, and their start tells. */
    public static final int MAX_QUERY_CHARS = 8_192;

    /** How many distinct terms of a question are looked up. */
    public static final int MAX_QUERY_TERMS = 64;

    /** How many distinct terms of one memory are indexed; 1 MiB of English has about half as many. */
    static final int MAX_DOCUMENT_TERMS = 32_768;

    /** A {@code tsvector} holds 1,048,575 bytes; places, and what the estimate of {@link TermCounter} may miss, stay free. */
    static final int DOCUMENT_BUDGET_BYTES = 900_000;

    /** The name of the choice to tell each text's language by itself. */
    public static final String AUTO = "auto";

    /** A word as people see it, with what makes it a possessive. */
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{M}\\p{N}_'\u2019]++");

    private final Optional<Language> fixed;
    private final Map<Language, TermCounter> counters = new EnumMap<>(Language.class);
    private final Map<Language, DateTimeFormatter> dates = new EnumMap<>(Language.class);

    /** One that tells each text's language by itself. */
    public LuceneAnalysis() {
        this(Optional.empty());
    }

    private LuceneAnalysis(Optional<Language> fixed) {
        this.fixed = fixed;
        for (Language language : Language.values()) {
            counters.put(language, new TermCounter(language));
            dates.put(
                    language,
                    DateTimeFormatter.ofPattern("EEEE, d MMMM uuuu", language.locale())
                            .withZone(ZoneOffset.UTC));
        }
    }

    /**
     * One for texts in a language.
     *
     * @param choice {@value #AUTO}, or a code of {@link Language}
     * @throws IllegalArgumentException for anything else
     */
    public static LuceneAnalysis of(String choice) {
        if (choice.equals(AUTO)) {
            return new LuceneAnalysis();
        }
        return new LuceneAnalysis(Optional.of(Language.of(choice)
                .orElseThrow(() -> new IllegalArgumentException("no language that is stemmed: " + choice))));
    }

    private TermCounter counter(Language language) {
        return Objects.requireNonNull(counters.get(language));
    }

    /**
     * In which languages a question is looked for: its own first, and those of the memories.
     *
     * @param present the languages of the scope's memories
     */
    private Set<Language> languages(String question, Set<Language> present) {
        if (fixed.isPresent()) {
            return Set.of(fixed.get());
        }
        Set<Language> languages = new LinkedHashSet<>();
        languages.add(LanguageGuess.of(question));
        languages.addAll(present);
        return languages;
    }

    /** Whether the languages of a scope's memories have to be known for a question to be analysed. */
    boolean asksForLanguages() {
        return fixed.isEmpty();
    }

    @Override
    public LexicalDocument document(MemoryDraft draft) {
        Language language = fixed.orElseGet(() -> LanguageGuess.of(draft.content()));
        TermCounter counter = counter(language);
        Map<String, Places> places = new LinkedHashMap<>();
        Counts body = counter.count(draft.content(), MAX_DOCUMENT_TERMS, DOCUMENT_BUDGET_BYTES, places::put);
        Map<String, EnumMap<LexicalField, Integer>> terms = new LinkedHashMap<>();
        add(terms, LexicalField.BODY, body);
        String author = draft.author();
        if (author != null) {
            add(terms, LexicalField.AUTHOR, counter.count(author, 64, TermCounter.UNBOUNDED, false));
        }
        Instant occurredAt = draft.occurredAt();
        if (occurredAt != null) {
            add(
                    terms,
                    LexicalField.DATE,
                    counter.count(
                            Objects.requireNonNull(dates.get(language)).format(occurredAt),
                            16,
                            TermCounter.UNBOUNDED,
                            false));
        }
        return new LexicalDocument(written(terms, places), body.length(), body.truncated(), language.code(), id());
    }

    @Override
    public String id() {
        return ID + "-" + fixed.map(Language::code).orElse(AUTO);
    }

    private static String written(Map<String, EnumMap<LexicalField, Integer>> terms, Map<String, Places> places) {
        StringBuilder out = new StringBuilder(24 * terms.size());
        terms.forEach((term, fields) -> {
            TsText.quote(out.isEmpty() ? out : out.append(' '), term);
            char separator = ':';
            for (Map.Entry<LexicalField, Integer> field : fields.entrySet()) {
                field.getKey().append(out.append(separator), field.getValue());
                separator = ',';
            }
            append(out, separator, places.get(term));
        });
        places.forEach((lexeme, at) -> {
            if (!terms.containsKey(lexeme)) {
                append(TsText.quote(out.append(' '), lexeme), ':', at);
            }
        });
        return out.toString();
    }

    private static void append(StringBuilder out, char first, @Nullable Places places) {
        char separator = first;
        for (int i = 0; places != null && i < places.size(); i++) {
            WordPlaces.append(out.append(separator), places.get(i));
            separator = ',';
        }
    }

    /** The terms of a question to memories whose languages are as good as its own. */
    public LexicalQuery query(String text) {
        return query(text, Set.of());
    }

    /**
     * The terms of a question.
     *
     * @param present the languages of the memories that are asked for: each memory has the stems of its own
     */
    LexicalQuery query(String text, Set<Language> present) {
        String head = text.length() <= MAX_QUERY_CHARS ? text : text.substring(0, MAX_QUERY_CHARS);
        List<TermCounter> counters = counters(head, present);
        Set<String> terms = new LinkedHashSet<>();
        for (TermCounter counter : counters) {
            for (String term : lookup(counter, head)) {
                if (terms.size() < MAX_QUERY_TERMS * Math.min(2, counters.size())) {
                    terms.add(term);
                }
            }
        }
        return new LexicalQuery(List.copyOf(terms), text.isBlank(), Phrases.in(head, counters), Prefixes.in(head));
    }

    private List<TermCounter> counters(String text, Set<Language> present) {
        return languages(text, present).stream().map(this::counter).toList();
    }

    private static Set<String> lookup(TermCounter counter, String text) {
        return counter.count(text, MAX_QUERY_TERMS, TermCounter.UNBOUNDED, true)
                .terms()
                .keySet();
    }

    /** What a word of a memory becomes in each language in which a question is looked for. */
    Set<String> stems(String word, String question, Set<Language> present) {
        Set<String> stems = new LinkedHashSet<>();
        counters(question, present).forEach(counter -> stems.addAll(lookup(counter, word)));
        return stems;
    }

    /** Whether {@link #query} looks at a part of this text only. */
    boolean isTruncated(String text) {
        // A distinct term has a character at least, and something between it and the next.
        return text.length() > MAX_QUERY_CHARS
                || (text.length() > MAX_QUERY_TERMS
                        && counter(fixed.orElseGet(() -> LanguageGuess.of(text)))
                                .count(text, MAX_QUERY_TERMS, TermCounter.UNBOUNDED, true)
                                .truncated());
    }

    /**
     * A question without certain words, in whatever form they stand there.
     *
     * @param terms what the words become in analysis; a word with any other term stays
     * @param present the languages of the memories that the terms come from
     * @return the text as it is if none is in it, or nothing would be left
     */
    String without(String text, Set<String> terms, Set<Language> present) {
        if (terms.isEmpty() || text.length() > MAX_QUERY_CHARS) {
            return text;
        }
        List<TermCounter> counters = counters(text, present);
        Matcher words = WORD.matcher(text);
        StringBuilder rest = new StringBuilder();
        boolean found = false;
        while (words.find()) {
            String word = words.group();
            boolean drop = counters.stream()
                    .map(counter -> lookup(counter, word))
                    .anyMatch(analysed -> !analysed.isEmpty() && terms.containsAll(analysed));
            found |= drop;
            words.appendReplacement(rest, drop ? "" : Matcher.quoteReplacement(words.group()));
        }
        words.appendTail(rest);
        String left = rest.toString().replaceAll("\\s+", " ").strip();
        return found && left.chars().anyMatch(Character::isLetterOrDigit) ? left : text;
    }

    /**
     * Terms that every text containing {@code literal} has, whatever stands before and after: those of its inner words,
     * which white space bounds on both sides, and the bigrams of its CJK runs. A text has all of one of these lists, that
     * of its language; it may have been analysed with any.
     *
     * @return empty when nothing is certain
     */
    Set<List<String>> certainTerms(String literal) {
        String head = literal.length() <= MAX_QUERY_CHARS ? literal : literal.substring(0, MAX_QUERY_CHARS);
        Set<List<String>> certain = new LinkedHashSet<>();
        for (TermCounter counter : counters.values()) {
            List<String> terms = certainTerms(head, counter);
            if (terms.isEmpty()) {
                return Set.of();
            }
            certain.add(terms);
        }
        return certain;
    }

    private static List<String> certainTerms(String head, TermCounter counter) {
        List<String> certain = new ArrayList<>();
        int first = firstSpace(head);
        int last = lastSpace(head);
        if (first >= 0 && last > first) {
            certain.addAll(lookup(counter, head.substring(first, last)));
        }
        for (String term : lookup(counter, head)) {
            if (certain.size() < MAX_QUERY_TERMS && isBigram(term) && !certain.contains(term)) {
                certain.add(term);
            }
        }
        return certain;
    }

    private static boolean isBigram(String term) {
        return term.codePointCount(0, term.length()) == 2 && term.codePoints().allMatch(LuceneAnalysis::isHanOrKana);
    }

    /** Scripts whose neighbours never change how a character is analysed. */
    private static boolean isHanOrKana(int codePoint) {
        Character.UnicodeScript script = Character.UnicodeScript.of(codePoint);
        return script == Character.UnicodeScript.HAN
                || script == Character.UnicodeScript.HIRAGANA
                || script == Character.UnicodeScript.KATAKANA;
    }

    private static int firstSpace(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isWhitespace(text.charAt(i))) {
                return i;
            }
        }
        return -1;
    }

    private static int lastSpace(String text) {
        for (int i = text.length() - 1; i >= 0; i--) {
            if (Character.isWhitespace(text.charAt(i))) {
                return i;
            }
        }
        return -1;
    }

    private static void add(Map<String, EnumMap<LexicalField, Integer>> terms, LexicalField field, Counts counts) {
        counts.terms()
                .forEach((term, count) -> terms.computeIfAbsent(term, ignored -> new EnumMap<>(LexicalField.class))
                        .put(field, count));
    }
}
