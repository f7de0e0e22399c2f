package io.recallgate.gateway.http.pipeline;

import io.recallgate.gateway.config.RecallgateConfig;

/**
 * Bounds of the HTTP side. Read on each request, so that live settings apply to the next one.
 *
 * @param lifetimeMillis absolute bound on a request; a caller's own deadline can only be earlier
 * @param bodies of native and embeddings routes
 * @param conversations bodies of conversations, which are held as bytes and not decoded into trees
 * @param inFlight requests being served at once, health and metrics not counted; above it the next one is a 429
 */
public record HttpOptions(long lifetimeMillis, Bodies bodies, Bodies conversations, int inFlight) {

    /**
     * Bounds of request bodies.
     *
     * @param bytes of the largest, also once it is inflated; one byte more is a 413
     * @param millis how long a body may take to arrive; then it is a 408
     * @param bufferedBytes held in memory by all requests together; above it the next one is a 429
     */
    public record Bodies(long bytes, long millis, long bufferedBytes) {

        /**
         * 64 MiB of bodies is an eighth of the default heap; decoded they take a few times that.
         */
        public static final Bodies NATIVE = new Bodies(8L << 20, 30_000, 64L << 20);

        /**
         * What Anthropic takes, in the time that a line of 5 Mbit/s needs. Three of the largest: a body stays for as long as
         * its answer takes, but as the one array that it was made into, so that this is under a fifth of the default heap.
         * Two more may exist while they are copied or inflated, since that is done by the two read workers. Beside the
         * native ones and not among them: long conversations must not keep memories from being stored.
         */
        public static final Bodies CONVERSATION = ofConversations(32L << 20);

        /** Every bound is at least one. */
        public Bodies {
            requirePositive(bytes, millis, bufferedBytes);
        }

        private static Bodies ofNatives(long bytes) {
            return new Bodies(bytes, NATIVE.millis, Math.max(NATIVE.bufferedBytes, bytes));
        }

        private static Bodies ofConversations(long bytes) {
            return new Bodies(bytes, 60_000, 3 * bytes);
        }
    }

    /** The documented defaults. */
    public static final HttpOptions DEFAULTS = new HttpOptions(900_000, Bodies.NATIVE, Bodies.CONVERSATION, 1_024);

    /** What the settings ask for; a bound without a setting keeps its default, but holds at least one body. */
    public static HttpOptions of(RecallgateConfig.Http http) {
        return new HttpOptions(
                http.requestLifetimeMillis(),
                Bodies.ofNatives(http.bodyLimitBytes()),
                Bodies.ofConversations(http.conversationBodyLimitBytes()),
                DEFAULTS.inFlight());
    }

    /** With the default bounds of conversations; the others are those of {@link Bodies} for native routes. */
    public HttpOptions(long lifetimeMillis, long bodyBytes, long bodyMillis, long bufferedBytes, int inFlight) {
        this(lifetimeMillis, new Bodies(bodyBytes, bodyMillis, bufferedBytes), Bodies.CONVERSATION, inFlight);
    }

    /** Every bound is at least one. */
    public HttpOptions {
        requirePositive(lifetimeMillis, inFlight);
    }

    /** The bounds for bodies of a route. */
    Bodies bodiesOf(Endpoint endpoint) {
        return endpoint.relays() ? conversations : bodies;
    }

    private static void requirePositive(long... bounds) {
        for (long bound : bounds) {
            if (bound < 1) {
                throw new IllegalArgumentException("bounds must be at least 1");
            }
        }
    }
}
