package io.recallgate.gateway.http.conversation;

import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.upstream.RelayedHeaders;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.vertx.core.MultiMap;
import java.util.Locale;

/** The headers that we add to a provider's answer. */
final class TurnLabels {

    static final String WINDOW = "x-recallgate-window";
    static final String DEGRADED = "x-recallgate-degraded";
    private static final String PREPARATION = "x-recallgate-preparation-ms";

    private TurnLabels() {}

    /** What a client is sent of a provider's headers, with ours. */
    static MultiMap headers(MultiMap provider, PreparedTurn turn, PhaseRun run, Exchange exchange) {
        MultiMap headers = RelayedHeaders.toClient(provider);
        if (isStream(provider)) {
            // A proxy that collects the answer first would undo the stream.
            headers.set("x-accel-buffering", "no");
            if (!headers.contains("cache-control")) {
                headers.set("cache-control", "no-cache");
            }
        }
        headers.add("server-timing", run.serverTiming());
        headers.set(PREPARATION, run.preparationMillis());
        turn.labels().forEach(headers::set);
        // The provider's own x-request-id, where it has one, is what its support asks for.
        headers.set("x-recallgate-request-id", exchange.requestId());
        return headers;
    }

    static boolean isStream(MultiMap provider) {
        return contentType(provider).toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    /** Whether the provider compressed its answer, though it was asked not to. */
    static boolean isCompressed(MultiMap provider) {
        String coding = provider.get("content-encoding");
        return coding != null && !coding.equalsIgnoreCase("identity");
    }

    static String contentType(MultiMap provider) {
        String type = provider.get("content-type");
        return type == null ? "" : type;
    }
}
