package io.recallgate.recall.lexical;

import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.RankingSignal;
import io.recallgate.recall.lexical.LexicalQuery.Phrase;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Scores memories for one question: BM25 over the weighted counts of all fields. Pure, thread-safe. */
final class QuestionScorer {

    /**
     * A phrase is worth what its words are worth at most once more, so that what has it is ahead of nearly all that has
     * its words apart; and yet no filter, since a question often quotes what its answer says in other words.
     */
    private static final double PHRASE_WEIGHT = Bm25.K1 + 1;

    private final double[] idf;
    private final double[] phrases;
    private final double averageLength;
    private final double authorWeight;
    private final double dateWeight;

    /**
     * @param idf how telling each term is
     * @param averageLength of one text
     * @param asked what is scored for
     * @param ranking which fields count
     */
    private QuestionScorer(double[] idf, double averageLength, Asked asked, RankingSettings ranking) {
        this.idf = idf;
        this.phrases = asked.phrases.stream()
                .mapToDouble(phrase -> PHRASE_WEIGHT
                        * phrase.terms().stream()
                                .mapToDouble(terms -> sum(terms, asked.terms, idf))
                                .min()
                                .orElse(0))
                .toArray();
        this.averageLength = averageLength;
        this.authorWeight = ranking.has(RankingSignal.AUTHOR_WORDS) ? LexicalField.AUTHOR.boost() : 0;
        this.dateWeight = ranking.has(RankingSignal.DATE_WORDS) ? LexicalField.DATE.boost() : 0;
    }

    /** Stems of a language that no memory has would be as telling as can be; so the least telling ones count. */
    private static double sum(List<String> phrase, List<String> terms, double[] idf) {
        return phrase.stream()
                .distinct()
                .mapToInt(terms::indexOf)
                .filter(index -> index >= 0)
                .mapToDouble(index -> idf[index])
                .sum();
    }

    /**
     * What is asked.
     *
     * @param terms distinct
     * @param phrases of some of them
     * @param counted in how many memories some of the terms are, where no statistic tells
     */
    record Asked(List<String> terms, List<Phrase> phrases, Map<String, Integer> counted) {
        /** How each phrase is found. */
        String[] tsqueries() {
            return phrases.stream().map(Phrase::tsquery).toArray(String[]::new);
        }
    }

    /** One that goes by what is known of the scope. */
    static QuestionScorer of(Asked asked, ScopeStatistics known, RankingSettings ranking) {
        double[] idf = new double[asked.terms.size()];
        for (int i = 0; i < idf.length; i++) {
            String term = asked.terms.get(i);
            idf[i] = Bm25.idf(known.documents(), Math.max(asked.counted.getOrDefault(term, 0), known.frequency(term)));
        }
        return new QuestionScorer(idf, known.averageLength(), asked, ranking);
    }

    /**
     * One for a scope of which nothing is known yet: the candidates, who are all memories with any term, tell how rare
     * each term is.
     *
     * @param documents how many memories there are
     */
    static QuestionScorer of(Asked asked, List<WordCounts> candidates, long documents, RankingSettings ranking) {
        double[] idf = new double[asked.terms.size()];
        for (int i = 0; i < idf.length; i++) {
            int term = i;
            long having =
                    candidates.stream().filter(counts -> counts.body[term] > 0).count();
            idf[i] = Bm25.idf(Math.max(documents, candidates.size()), Math.max(1, having));
        }
        double averageLength =
                candidates.stream().mapToInt(counts -> counts.length).average().orElse(1);
        return new QuestionScorer(idf, averageLength, asked, ranking);
    }

    /** What a term of the question adds for a memory that has it, by itself and without phrases. */
    float weight(int term, int count, boolean author, boolean date, int length) {
        double frequency = count + (author ? authorWeight : 0) + (date ? dateWeight : 0);
        return (float) Bm25.score(idf[term], frequency, length, averageLength);
    }

    /** A memory by itself. */
    LexicalHit alone(UUID id, WordCounts own) {
        return score(id, own, own.length, new double[idf.length], 1);
    }

    /**
     * A memory with its neighbours.
     *
     * @param length weighted terms of all texts together
     * @param around weighted counts of the neighbours' texts
     * @param texts how many texts of average length that is compared with
     */
    LexicalHit score(UUID id, WordCounts own, double length, double[] around, double texts) {
        double total = 0;
        double inText = 0;
        double inNeighbours = 0;
        double inAuthor = 0;
        double inDate = 0;
        for (int i = 0; i < idf.length; i++) {
            double author = authorWeight * own.author[i];
            double date = dateWeight * own.date[i];
            double frequency = own.body[i] + around[i] + author + date;
            if (frequency > 0) {
                double score = Bm25.score(idf[i], frequency, length, texts * averageLength);
                total += score;
                inText += score * own.body[i] / frequency;
                inNeighbours += score * around[i] / frequency;
                inAuthor += score * author / frequency;
                inDate += score * date / frequency;
            }
        }
        double inPhrases = phrases(own.phrases);
        Map<LexicalPart, Double> parts = new EnumMap<>(LexicalPart.class);
        put(parts, LexicalPart.TEXT, inText);
        put(parts, LexicalPart.NEIGHBOURS, inNeighbours);
        put(parts, LexicalPart.AUTHOR, inAuthor);
        put(parts, LexicalPart.DATE, inDate);
        put(parts, LexicalPart.PHRASE, inPhrases);
        return new LexicalHit(id, total + inPhrases, parts);
    }

    private double phrases(int having) {
        double sum = 0;
        for (int i = 0; i < phrases.length; i++) {
            sum += (having & 1 << i) == 0 ? 0 : phrases[i];
        }
        return sum;
    }

    private static void put(Map<LexicalPart, Double> parts, LexicalPart part, double score) {
        if (score > 0) {
            parts.put(part, score);
        }
    }
}
