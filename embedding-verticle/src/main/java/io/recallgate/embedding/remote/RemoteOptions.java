package io.recallgate.embedding.remote;

import io.recallgate.digest.Sha256;
import io.recallgate.embedding.api.ModelIdentity;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What does not change while a remote provider is used.
 *
 * @param server where it is and how to talk to it
 * @param model what is asked of it
 * @param bounds on everything
 * @param breaker when queries are kept from it
 */
public record RemoteOptions(Server server, Model model, Bounds bounds, Breaker breaker) {

    /**
     * The server.
     *
     * @param url the base URL, as OpenAI's clients take it, such as {@code http://127.0.0.1:11434/v1}; http or https,
     *     without user, query and fragment
     * @param apiKey sent as a bearer token; empty for none
     * @param cancelsOnDisconnect whether it stops working on a request when the connection closes. If not, a connection
     *     stays taken until the answer comes or the batch budget is over, although nobody waits for it: that is what the
     *     server is busy with
     */
    public record Server(URI url, Optional<String> apiKey, boolean cancelsOnDisconnect) {

        /** Checks the URL. */
        public Server {
            boolean web = "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
            if (!web || url.getHost() == null || url.getUserInfo() != null) {
                throw new IllegalArgumentException("not a base URL of a provider");
            }
            if (url.getRawQuery() != null || url.getRawFragment() != null) {
                throw new IllegalArgumentException("a base URL has neither query nor fragment");
            }
        }

        /** Where requests go: {@code /v1} is added to a bare host, and {@code /embeddings} where it is missing. */
        public URI endpoint() {
            String path = url.getRawPath() == null ? "" : url.getRawPath().replaceFirst("/+$", "");
            String whole =
                    path.isEmpty() ? "/v1/embeddings" : path.endsWith("/embeddings") ? path : path + "/embeddings";
            return url.resolve(whole);
        }

        /** Without the key. */
        @Override
        public String toString() {
            return "Server[" + url + (apiKey.isPresent() ? ", with a key" : ", without a key") + "]";
        }
    }

    /**
     * The model.
     *
     * @param name at the provider
     * @param dimensions asked for with each request and checked in each answer; empty leaves them to the provider, and
     *     the first answer tells
     * @param maxTokens its window; longer texts are cut by estimate and labelled
     * @param queryPrefix put before each question
     * @param documentPrefix put before each document
     */
    public record Model(String name, OptionalInt dimensions, int maxTokens, String queryPrefix, String documentPrefix) {

        /**
         * What stands behind its vectors, as far as it can be known from here: the provider's URL, the model's name, the
         * dimensions and both prefixes.
         */
        ModelIdentity identity(URI endpoint, int actualDimensions) {
            MessageDigest digest = Sha256.digest();
            List<String> parts = List.of(
                    "openai",
                    endpoint.toString(),
                    name,
                    Integer.toString(actualDimensions),
                    queryPrefix,
                    documentPrefix);
            for (String part : parts) {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                // With its length before it, or "ab","c" would be the same as "a","bc".
                digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
                digest.update(bytes);
            }
            return new ModelIdentity(name, HexFormat.of().formatHex(digest.digest()), actualDimensions, maxTokens);
        }
    }

    /**
     * Bounds.
     *
     * @param connect on a connection and, with https, once more on its handshake
     * @param batch on one request of documents, and on what nobody waits for any more
     * @param batchInputs rows of one request, 1 to 2,048, which is OpenAI's own limit
     * @param connections to the provider, at least 2; documents get at most half of them, queries all but one
     * @param operations waiting and running requests of callers; the next is refused
     * @param documentOperations of them, for documents
     * @param bytes of their inputs; the next is refused
     * @param documentBytes of them, for documents
     */
    public record Bounds(
            Duration connect,
            Duration batch,
            int batchInputs,
            int connections,
            int operations,
            int documentOperations,
            long bytes,
            long documentBytes) {}

    /**
     * When queries are kept from the provider.
     *
     * @param expiries in a row after which they are
     * @param backoff until one may try again
     * @param maxBackoff up to which the back-off doubles
     * @param probeBound how long that one may take, whatever the limit of a query is
     */
    public record Breaker(int expiries, Duration backoff, Duration maxBackoff, Duration probeBound) {}

    /** The documented defaults (conf/recallgate.yaml). */
    public static RemoteOptions defaults(URI url, String model) {
        return new RemoteOptions(
                new Server(url, Optional.empty(), false),
                new Model(model, OptionalInt.empty(), 512, "", ""),
                new Bounds(Duration.ofSeconds(2), Duration.ofSeconds(60), 32, 8, 256, 240, 8L << 20, 7L << 20),
                new Breaker(3, Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofSeconds(30)));
    }
}
