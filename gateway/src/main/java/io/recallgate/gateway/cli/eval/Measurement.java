package io.recallgate.gateway.cli.eval;

import io.recallgate.gateway.cli.measure.Spans;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a series of questions found: recall@k is the share of a question's evidence among its first k hits, hit@k whether
 * there is any, MRR one over the place of the first within the top 20; each averaged over all questions. Used by one
 * thread.
 */
public final class Measurement {

    /** How many hits count. */
    public static final int DEPTH = 20;

    private final Spans spans = new Spans();
    private final Map<Integer, double[]> recallAt10ByCategory = new TreeMap<>();
    private int questions;
    private int degraded;
    private double recallAt5;
    private double recallAt10;
    private double recallAt20;
    private double reciprocalRanks;
    private double hitsAt10;
    private final long[] places = new long[DEPTH + 1];
    private final long[] unknownPlaces = new long[DEPTH + 1];

    /**
     * Adds one question.
     *
     * @param category its category
     * @param evidence external ids of the turns that hold the answer, at least one
     * @param ranking external ids as ranked, best first; null for a place whose memory is not known
     * @param wasDegraded whether the answer was labelled as degraded
     * @param spanNanos how long it took
     */
    public void add(
            int category, Set<String> evidence, List<@Nullable String> ranking, boolean wasDegraded, long spanNanos) {
        questions++;
        degraded += wasDegraded ? 1 : 0;
        spans.add(spanNanos);
        recallAt5 += recall(evidence, ranking, 5);
        double at10 = recall(evidence, ranking, 10);
        recallAt10 += at10;
        recallAt20 += recall(evidence, ranking, DEPTH);
        hitsAt10 += at10 > 0 ? 1 : 0;
        reciprocalRanks += reciprocalRank(evidence, ranking);
        double[] sum = recallAt10ByCategory.computeIfAbsent(category, ignored -> new double[2]);
        sum[0] += at10;
        sum[1]++;
        countPlaces(ranking, 10);
        countPlaces(ranking, DEPTH);
    }

    /** Adds all questions of another. */
    public void addAll(Measurement other) {
        questions += other.questions;
        degraded += other.degraded;
        spans.addAll(other.spans);
        recallAt5 += other.recallAt5;
        recallAt10 += other.recallAt10;
        recallAt20 += other.recallAt20;
        hitsAt10 += other.hitsAt10;
        reciprocalRanks += other.reciprocalRanks;
        for (int k = 0; k <= DEPTH; k++) {
            places[k] += other.places[k];
            unknownPlaces[k] += other.unknownPlaces[k];
        }
        other.recallAt10ByCategory.forEach((category, add) -> {
            double[] sum = recallAt10ByCategory.computeIfAbsent(category, ignored -> new double[2]);
            sum[0] += add[0];
            sum[1] += add[1];
        });
    }

    /** How many questions. */
    public int questions() {
        return questions;
    }

    /** How many of their answers were labelled as degraded. */
    public int degraded() {
        return degraded;
    }

    /** Mean recall@5, 0 to 1. */
    public double recallAt5() {
        return mean(recallAt5);
    }

    /** Mean recall@10, 0 to 1. */
    public double recallAt10() {
        return mean(recallAt10);
    }

    /** Mean recall@20, 0 to 1. */
    public double recallAt20() {
        return mean(recallAt20);
    }

    /** Mean reciprocal rank over the top 20, 0 to 1. */
    public double mrr() {
        return mean(reciprocalRanks);
    }

    /** Share of questions with any evidence in the top 10, 0 to 1. */
    public double hitAt10() {
        return mean(hitsAt10);
    }

    /**
     * Share of the first k ranked places whose memory is known, 0 to 1.
     *
     * @param k 10 or {@link #DEPTH}
     */
    public double knownPlaces(int k) {
        return places[k] == 0 ? 1 : 1 - unknownPlaces[k] / (double) places[k];
    }

    /** How long the questions took. */
    public Spans spans() {
        return spans;
    }

    /** All of it, rounded to four digits. */
    public JsonObject toJson() {
        JsonObject categories = new JsonObject();
        recallAt10ByCategory.forEach((category, sum) -> categories.put(
                category.toString(),
                new JsonObject().put("questions", (int) sum[1]).put("recall_at_10", rounded(sum[0] / sum[1]))));
        return new JsonObject()
                .put("questions", questions)
                .put("recall_at_5", rounded(recallAt5()))
                .put("recall_at_10", rounded(recallAt10()))
                .put("recall_at_20", rounded(recallAt20()))
                .put("mrr", rounded(mrr()))
                .put("hit_at_10", rounded(hitAt10()))
                .put("degraded", degraded)
                .put("known_places_at_10", rounded(knownPlaces(10)))
                .put("known_places_at_20", rounded(knownPlaces(DEPTH)))
                .put("categories", categories)
                .put("ms", spans.toJson());
    }

    private void countPlaces(List<@Nullable String> ranking, int k) {
        places[k] += Math.min(k, ranking.size());
        unknownPlaces[k] += ranking.stream().limit(k).filter(id -> id == null).count();
    }

    private double mean(double sum) {
        return questions == 0 ? 0 : sum / questions;
    }

    private static double recall(Set<String> evidence, List<@Nullable String> ranking, int k) {
        long found = ranking.stream()
                .limit(k)
                .filter(id -> id != null && evidence.contains(id))
                .distinct()
                .count();
        return found / (double) evidence.size();
    }

    private static double reciprocalRank(Set<String> evidence, List<@Nullable String> ranking) {
        for (int i = 0; i < Math.min(DEPTH, ranking.size()); i++) {
            String id = ranking.get(i);
            if (id != null && evidence.contains(id)) {
                return 1.0 / (i + 1);
            }
        }
        return 0;
    }

    private static double rounded(double value) {
        return Math.round(value * 10_000) / 10_000.0;
    }
}
