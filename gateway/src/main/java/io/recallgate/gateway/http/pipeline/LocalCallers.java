package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps web pages out of a gateway without keys. Listening on loopback keeps other machines out, but not a page that a
 * browser on this machine shows: it can have a name of its own point to 127.0.0.1, or send simple requests blindly.
 * A browser names both in {@code host} and {@code origin}, and a page cannot change them.
 */
final class LocalCallers {

    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|.*\\.localhost|127(\\.[0-9]{1,3}){3}|::1|0:0:0:0:0:0:0:1");

    private final String ownName;

    /** @param ownName the host that the gateway was told to listen on, which resolves to loopback only */
    LocalCallers(String ownName) {
        this.ownName = ownName.toLowerCase(Locale.ROOT);
    }

    /** @throws FailureException {@code forbidden} for a request that a foreign page may have sent */
    void require(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        if (authority != null && !isLocal(authority.host())) {
            throw refused("host");
        }
        String origin = request.getHeader("origin");
        if (origin != null && !isLocal(hostOf(origin))) {
            throw refused("origin");
        }
    }

    private boolean isLocal(@Nullable String host) {
        if (host == null) {
            return false;
        }
        String name = host.toLowerCase(Locale.ROOT).replaceAll("^\\[|]$", "");
        return name.equals(ownName) || LOOPBACK.matcher(name).matches();
    }

    private static @Nullable String hostOf(String origin) {
        try {
            return new URI(origin).getHost();
        } catch (URISyntaxException e) {
            // "null" and the like: no place of ours.
            return null;
        }
    }

    private static FailureException refused(String header) {
        return FailureException.ofField(
                FailureCode.FORBIDDEN,
                header,
                "without keys only this machine is served, under a name such as 127.0.0.1 or localhost;"
                        + " RECALLGATE_API_KEYS_FILE opens it to others");
    }
}
