package io.recallgate.gateway.cli.client;

import io.recallgate.gateway.cli.console.CommandFailedException;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Which gateway, as whom.
 *
 * @param url its base, without a slash at the end
 * @param key the gateway's key, null when it wants none; never printed
 * @param project the project of all requests, null for the default one
 */
public record GatewayAddress(
        URI url, @Nullable String key, @Nullable String project) {

    /**
     * Checks a URL as a person writes it.
     *
     * @throws CommandFailedException if it is not http(s)://host[:port][/path]
     */
    public static GatewayAddress of(String url, @Nullable String key, @Nullable String project) {
        String bare = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        try {
            URI uri = new URI(bare);
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (http && uri.getHost() != null && uri.getQuery() == null && uri.getFragment() == null) {
                return new GatewayAddress(uri, key, project);
            }
        } catch (URISyntaxException e) {
            throw wrong(url, e);
        }
        throw wrong(url, null);
    }

    /** The same gateway with another project. */
    public GatewayAddress withProject(String other) {
        return new GatewayAddress(url, key, other);
    }

    @Override
    public String toString() {
        return url.toString();
    }

    private static CommandFailedException wrong(String url, @Nullable Exception cause) {
        return new CommandFailedException(
                "--url '" + url + "' is not a URL such as http://127.0.0.1:7411 (also RECALLGATE_URL)", cause);
    }
}
