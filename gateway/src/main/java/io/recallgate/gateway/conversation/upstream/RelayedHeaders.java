package io.recallgate.gateway.conversation.upstream;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which headers pass. All do, also those that nobody knows, except for what belongs to one of the two connections, what is
 * ours, and what would be wrong or a leak on the other side.
 */
public final class RelayedHeaders {

    /** Of one connection (RFC 9110, 7.6.1), besides those that its {@code connection} header names. */
    private static final Set<String> OF_A_CONNECTION =
            Set.of("connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "content-length");

    private static final List<String> PREFIXES_OF_A_CONNECTION = List.of("proxy-", "x-recallgate-", "x-forwarded-");

    /**
     * Of a client's request: {@code host} is the provider's and is made anew; the body goes out inflated; {@code expect} was
     * answered. Where the client is, and what a browser keeps for the name that it calls us by, is not the provider's business.
     */
    private static final Set<String> OF_A_CLIENT =
            Set.of("host", "content-encoding", "accept-encoding", "expect", "cookie", "forwarded", "via", "x-real-ip");

    /** Of a provider's answer, which speaks of its own name and not of the one that we are called by. */
    private static final Set<String> OF_A_PROVIDER = Set.of("strict-transport-security", "alt-svc");

    private RelayedHeaders() {}

    /** What of a client's headers its provider gets. Asks for an answer that is not compressed, since we read it too. */
    public static MultiMap toProvider(MultiMap client) {
        MultiMap headers = passing(client, OF_A_CLIENT);
        headers.set("accept-encoding", "identity");
        return headers;
    }

    /** What of a provider's headers its client gets. */
    public static MultiMap toClient(MultiMap provider) {
        return passing(provider, OF_A_PROVIDER);
    }

    private static MultiMap passing(MultiMap from, Set<String> stripped) {
        Set<String> named = named(from.getAll(HttpHeaders.CONNECTION));
        MultiMap passing = HttpHeaders.headers();
        from.forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            if (!OF_A_CONNECTION.contains(lower)
                    && !stripped.contains(lower)
                    && !named.contains(lower)
                    && !hasPrefix(lower)) {
                passing.add(name, value);
            }
        });
        return passing;
    }

    /** The headers that {@code connection} names. */
    private static Set<String> named(List<String> connection) {
        if (connection.isEmpty()) {
            return Set.of();
        }
        Set<String> named = new HashSet<>();
        for (String value : connection) {
            for (String name : value.split(",", -1)) {
                named.add(name.trim().toLowerCase(Locale.ROOT));
            }
        }
        return named;
    }

    private static boolean hasPrefix(String name) {
        for (String prefix : PREFIXES_OF_A_CONNECTION) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
