package io.recallgate.gateway.cli.eval;

import io.vertx.core.json.JsonObject;

/** Which ranking is measured. */
public enum Series {
    /** What a hybrid recall answers. */
    HYBRID("hybrid", "hybrid", Measurement.DEPTH),
    /** What a lexical recall answers. */
    LEXICAL("lexical", "lexical", Measurement.DEPTH),
    /**
     * The vector leg alone, as a hybrid recall saw it: each hit names its rank in that leg. More hits are asked for than
     * are ranked, since the fusion may have put some of the leg's best far down; places whose memory is not among the
     * hits even so are counted as misses, and the share of known places is reported.
     */
    VECTOR("vector", "hybrid", 50);

    private final String title;
    private final String requestMode;
    private final int limit;

    Series(String title, String requestMode, int limit) {
        this.title = title;
        this.requestMode = requestMode;
        this.limit = limit;
    }

    /** As the table and the JSON name it. */
    public String title() {
        return title;
    }

    JsonObject request(String question) {
        return new JsonObject()
                .put("query", question)
                .put("mode", requestMode)
                .put("limit", limit)
                .put("memo", false);
    }
}
