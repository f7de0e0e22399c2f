package io.recallgate.recall.lexical;

import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.RankingSignal;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Scores memories for one question: BM25 over the weighted counts of all fields. Pure, thread-safe. */
final class QuestionScorer {

    private final double[] idf;
    private final double averageLength;
    private final double authorWeight;
    private final double dateWeight;

    /**
     * @param idf how telling each term is
     * @param averageLength of one text
     * @param ranking which fields count
     */
    private QuestionScorer(double[] idf, double averageLength, RankingSettings ranking) {
        this.idf = idf;
        this.averageLength = averageLength;
        this.authorWeight = ranking.has(RankingSignal.AUTHOR_WORDS) ? LexicalField.AUTHOR.boost() : 0;
        this.dateWeight = ranking.has(RankingSignal.DATE_WORDS) ? LexicalField.DATE.boost() : 0;
    }

    /** One that goes by what is known of the scope. */
    static QuestionScorer of(List<String> terms, ScopeStatistics known, RankingSettings ranking) {
        double[] idf = new double[terms.size()];
        for (int i = 0; i < idf.length; i++) {
            idf[i] = Bm25.idf(known.documents(), known.frequency(terms.get(i)));
        }
        return new QuestionScorer(idf, known.averageLength(), ranking);
    }

    /**
     * One for a scope of which nothing is known yet: the candidates, who are all memories with any term, tell how rare
     * each term is.
     *
     * @param documents how many memories there are
     */
    static QuestionScorer of(int terms, List<WordCounts> candidates, long documents, RankingSettings ranking) {
        double[] idf = new double[terms];
        for (int i = 0; i < idf.length; i++) {
            int term = i;
            long having =
                    candidates.stream().filter(counts -> counts.body[term] > 0).count();
            idf[i] = Bm25.idf(Math.max(documents, candidates.size()), Math.max(1, having));
        }
        double averageLength =
                candidates.stream().mapToInt(counts -> counts.length).average().orElse(1);
        return new QuestionScorer(idf, averageLength, ranking);
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
        Map<LexicalPart, Double> parts = new EnumMap<>(LexicalPart.class);
        put(parts, LexicalPart.TEXT, inText);
        put(parts, LexicalPart.NEIGHBOURS, inNeighbours);
        put(parts, LexicalPart.AUTHOR, inAuthor);
        put(parts, LexicalPart.DATE, inDate);
        return new LexicalHit(id, total, parts);
    }

    private static void put(Map<LexicalPart, Double> parts, LexicalPart part, double score) {
        if (score > 0) {
            parts.put(part, score);
        }
    }
}
