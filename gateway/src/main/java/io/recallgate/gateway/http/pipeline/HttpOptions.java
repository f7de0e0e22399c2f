package io.recallgate.gateway.http.pipeline;

import io.recallgate.gateway.config.RecallgateConfig;

/**
 * Bounds of the HTTP side. Read on each request, so that live settings apply to the next one.
 *
 * @param lifetimeMillis absolute bound on a request; a caller's own deadline can only be earlier
 * @param bodyBytes largest body of a native or embeddings route; one byte more is a 413
 * @param bodyMillis how long a body may take to arrive; then it is a 408
 * @param bufferedBytes bodies held in memory by all requests together; above it the next one is a 429
 * @param inFlight requests being served at once, health and metrics not counted; above it the next one is a 429
 */
public record HttpOptions(long lifetimeMillis, long bodyBytes, long bodyMillis, long bufferedBytes, int inFlight) {

    /**
     * The documented defaults. 64 MiB of bodies is an eighth of the default heap; decoded they take a few times that.
     */
    public static final HttpOptions DEFAULTS = new HttpOptions(900_000, 8L << 20, 30_000, 64L << 20, 1_024);

    /** What the settings ask for; a bound without a setting keeps its default, but holds at least one body. */
    public static HttpOptions of(RecallgateConfig.Http http) {
        return new HttpOptions(
                http.requestLifetimeMillis(),
                http.bodyLimitBytes(),
                DEFAULTS.bodyMillis(),
                Math.max(DEFAULTS.bufferedBytes(), http.bodyLimitBytes()),
                DEFAULTS.inFlight());
    }

    /** Every bound is at least one. */
    public HttpOptions {
        if (lifetimeMillis < 1 || bodyBytes < 1 || bodyMillis < 1 || bufferedBytes < 1 || inFlight < 1) {
            throw new IllegalArgumentException("bounds must be at least 1");
        }
    }
}
