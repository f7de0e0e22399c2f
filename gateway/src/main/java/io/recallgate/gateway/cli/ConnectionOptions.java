package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every command that talks to a running gateway. */
final class ConnectionOptions {

    /** Where a gateway listens unless it is told otherwise. */
    static final String DEFAULT_URL = "http://127.0.0.1:7411";

    private static final String DEFAULT_HOST = "127.0.0.1";
    private static final String DEFAULT_PORT = "7411";

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The gateway to talk to. Also RECALLGATE_URL; else http://127.0.0.1:7411, or the"
                    + " RECALLGATE_HTTP_HOST and RECALLGATE_HTTP_PORT it was started with.")
    @Nullable
    String url;

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "The gateway's key, if it wants one. Also RECALLGATE_KEY, which"
                    + " keeps it out of the process list.")
    @Nullable
    String key;

    @Option(
            names = "--project",
            paramLabel = "PROJECT",
            description = "The project to work in; without it the key's default project. Also RECALLGATE_PROJECT.")
    @Nullable
    String project;

    /**
     * The client these options ask for.
     *
     * @param patience how long it goes on asking a busy gateway
     */
    GatewayClient client(CliContext context, Duration patience) {
        Map<String, String> environment = context.environment();
        GatewayAddress address = GatewayAddress.of(
                url != null ? url : defaultUrl(environment),
                key != null ? key : value(environment, "RECALLGATE_KEY"),
                project != null ? project : value(environment, "RECALLGATE_PROJECT"));
        return new GatewayClient(address, context.clock(), context.pauses(), patience);
    }

    /** The URL without {@code --url}. */
    static String defaultUrl(Map<String, String> environment) {
        String given = value(environment, "RECALLGATE_URL");
        if (given != null) {
            return given;
        }
        String host = value(environment, "RECALLGATE_HTTP_HOST");
        // A wildcard is where to listen, not where to connect.
        boolean anywhere = host == null || host.equals("0.0.0.0") || host.equals("::");
        String port = value(environment, "RECALLGATE_HTTP_PORT");
        return url(anywhere ? DEFAULT_HOST : host, port == null || port.equals("0") ? DEFAULT_PORT : port);
    }

    /** A URL of host and port, with brackets around an IPv6 address. */
    static String url(@Nullable String host, String port) {
        String name = host == null ? DEFAULT_HOST : host;
        return "http://" + (name.contains(":") ? "[" + name + "]" : name) + ":" + port;
    }

    private static @Nullable String value(Map<String, String> environment, String name) {
        String value = environment.get(name);
        return value == null || value.isBlank() ? null : value;
    }
}
