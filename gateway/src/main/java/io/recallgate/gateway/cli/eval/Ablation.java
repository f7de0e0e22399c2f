package io.recallgate.gateway.cli.eval;

import io.recallgate.gateway.cli.client.GatewayClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the same questions under several ways of ranking: the settings of the gateway are overridden for each, and
 * taken back at the end. Used by one thread.
 */
public final class Ablation {

    private final Evaluation evaluation;
    private final GatewayClient admin;

    /** @param admin of a key that may change settings */
    public Ablation(Evaluation evaluation, GatewayClient admin) {
        this.evaluation = evaluation;
        this.admin = admin;
    }

    /**
     * Runs.
     *
     * @param conversations prepared for every series
     * @return the sums over all conversations, in the order of the variants
     */
    public Map<Variant, Measurement> run(List<Evaluation.Prepared> conversations, List<Variant> variants) {
        Map<Variant, Measurement> results = new LinkedHashMap<>();
        try {
            for (Variant variant : variants) {
                admin.patch("/v1/settings", variant.settings()).jsonOrFail();
                Measurement sum = new Measurement();
                conversations.forEach(prepared -> sum.addAll(evaluation.ask(prepared, variant.series())));
                results.put(variant, sum);
            }
        } finally {
            admin.patch("/v1/settings", Variant.usual());
        }
        return results;
    }
}
