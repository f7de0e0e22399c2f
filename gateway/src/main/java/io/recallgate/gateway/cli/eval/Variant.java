package io.recallgate.gateway.cli.eval;

import io.recallgate.recall.api.RankingSettings.FusionMethod;
import io.recallgate.recall.api.RankingSignal;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One way of ranking, to be compared with the others.
 *
 * @param title what is different
 * @param series what is asked
 * @param fusion how words and meaning become one order
 * @param signals what else counts
 */
public record Variant(String title, Series series, FusionMethod fusion, Set<RankingSignal> signals) {

    /** Copies the signals. */
    public Variant {
        signals = Set.copyOf(signals);
    }

    /** All signals, each one left out, some together, and each leg alone. */
    public static List<Variant> ablation() {
        List<Variant> variants = new ArrayList<>();
        variants.add(new Variant("as it is", Series.HYBRID, FusionMethod.SCORE, all()));
        for (RankingSignal signal : RankingSignal.values()) {
            variants.add(without("no " + signal.wireName(), Series.HYBRID, signal));
        }
        variants.add(without(
                "no author-match, no name-stripping",
                Series.HYBRID,
                RankingSignal.AUTHOR_MATCH,
                RankingSignal.NAME_STRIPPING));
        variants.add(new Variant("no signal at all", Series.HYBRID, FusionMethod.SCORE, Set.of()));
        variants.add(new Variant("reciprocal ranks (rrf)", Series.HYBRID, FusionMethod.RRF, all()));
        variants.add(new Variant("words alone", Series.LEXICAL, FusionMethod.SCORE, all()));
        variants.add(without("words alone, no neighbours", Series.LEXICAL, RankingSignal.NEIGHBOURS));
        variants.add(new Variant("words alone, no signal", Series.LEXICAL, FusionMethod.SCORE, Set.of()));
        variants.add(new Variant("meaning alone", Series.VECTOR, FusionMethod.SCORE, all()));
        variants.add(without("meaning alone, no name-stripping", Series.VECTOR, RankingSignal.NAME_STRIPPING));
        return variants;
    }

    /** The settings that make it, for {@code PATCH /v1/settings}. */
    JsonObject settings() {
        String list = signals.isEmpty()
                ? "none"
                : signals.stream().sorted().map(RankingSignal::wireName).collect(Collectors.joining(","));
        return new JsonObject()
                .put("RECALLGATE_RECALL_FUSION", fusion.wireName())
                .put("RECALLGATE_RECALL_SIGNALS", list);
    }

    /** What takes them back. */
    static JsonObject usual() {
        return new JsonObject().putNull("RECALLGATE_RECALL_FUSION").putNull("RECALLGATE_RECALL_SIGNALS");
    }

    private static Variant without(String title, Series series, RankingSignal... signals) {
        Set<RankingSignal> left = all();
        left.removeAll(List.of(signals));
        return new Variant(title, series, FusionMethod.SCORE, left);
    }

    private static Set<RankingSignal> all() {
        return EnumSet.allOf(RankingSignal.class);
    }
}
