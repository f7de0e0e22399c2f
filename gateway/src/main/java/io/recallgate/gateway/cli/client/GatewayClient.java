package io.recallgate.gateway.cli.client;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Talks to one gateway. A 429 or 503 is asked again after its Retry-After for as long as the patience lasts; everything
 * else is answered once. Any thread; each waits for its own answer.
 */
public final class GatewayClient {

    /** Connecting takes milliseconds where a gateway listens; a firewall that drops packets would take minutes. */
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

    /** Above any deadline that the gateway itself has for these routes. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);

    private static final long MAX_PAUSE_MILLIS = 30_000;
    private static final long DEFAULT_PAUSE_MILLIS = 1_000;

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_LIMIT)
            .build();
    private final GatewayAddress address;
    private final Clock clock;
    private final Pauses pauses;
    private final Duration patience;

    /**
     * @param patience how long to go on asking a gateway that answers 429 or 503; zero asks once
     */
    public GatewayClient(GatewayAddress address, Clock clock, Pauses pauses, Duration patience) {
        this.address = address;
        this.clock = clock;
        this.pauses = pauses;
        this.patience = patience;
    }

    /** Where it talks to. */
    public GatewayAddress address() {
        return address;
    }

    /** A client of the same gateway for another project. */
    public GatewayClient withProject(String project) {
        return new GatewayClient(address.withProject(project), clock, pauses, patience);
    }

    /**
     * GET.
     *
     * @param path with its query, from the slash
     * @throws CommandFailedException if nothing answers
     */
    public Answer get(String path) {
        return patiently(request(path).GET().build());
    }

    /**
     * POST of JSON.
     *
     * @throws CommandFailedException if nothing answers
     */
    public Answer post(String path, JsonObject body) {
        return post(path, body, Map.of());
    }

    /** The same with more headers. */
    public Answer post(String path, JsonObject body, Map<String, String> headers) {
        HttpRequest.Builder request = request(path).header("content-type", "application/json");
        headers.forEach(request::header);
        return patiently(request.POST(HttpRequest.BodyPublishers.ofString(body.encode(), StandardCharsets.UTF_8))
                .build());
    }

    /**
     * PATCH of JSON.
     *
     * @throws CommandFailedException if nothing answers
     */
    public Answer patch(String path, JsonObject body) {
        return patiently(request(path)
                .header("content-type", "application/json")
                .method("PATCH", HttpRequest.BodyPublishers.ofString(body.encode(), StandardCharsets.UTF_8))
                .build());
    }

    /**
     * GET of a body of any size, asked once.
     *
     * @param out gets the body if the answer is a success; not closed
     * @return the answer; without its text if it is a success
     * @throws CommandFailedException if nothing answers, or the body is not whole
     */
    public Answer download(String path, OutputStream out) {
        HttpResponse<InputStream> response;
        try {
            response = http.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw unreachable(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while waiting for " + address, e);
        }
        try (InputStream body = response.body()) {
            OptionalLong wait = retryAfter(response);
            Long retryAfter = wait.isPresent() ? wait.getAsLong() : null;
            if (response.statusCode() != 200) {
                String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
                return new Answer(response.statusCode(), text, retryAfter, 0);
            }
            body.transferTo(out);
            return new Answer(200, "", retryAfter, 0);
        } catch (IOException e) {
            throw new CommandFailedException("what arrived is not whole: " + e.getMessage(), e);
        }
    }

    /** GET that is sent once, and empty when nothing answers: for waiting until something does. */
    public @Nullable Answer tryGet(String path) {
        try {
            return send(request(path).GET().build());
        } catch (IOException e) {
            // The caller looks again; what stays wrong shows in its own bound.
            return null;
        }
    }

    private Answer patiently(HttpRequest request) {
        Deadline deadline = Deadline.after(clock, patience);
        while (true) {
            Answer answer;
            try {
                answer = send(request);
            } catch (IOException e) {
                throw unreachable(e);
            }
            if (!answer.asksToWait()) {
                return answer;
            }
            long pause = pauseMillis(answer);
            if (deadline.remainingMillis() < pause) {
                return answer;
            }
            pauses.pauseMillis(pause);
            if (Thread.currentThread().isInterrupted()) {
                return answer;
            }
        }
    }

    private static long pauseMillis(Answer answer) {
        Long seconds = answer.retryAfterSeconds();
        return seconds == null ? DEFAULT_PAUSE_MILLIS : Math.min(MAX_PAUSE_MILLIS, Math.max(0, seconds) * 1_000);
    }

    private Answer send(HttpRequest request) throws IOException {
        long started = clock.nanoTime();
        try {
            HttpResponse<String> response =
                    http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            OptionalLong retryAfter = retryAfter(response);
            return new Answer(
                    response.statusCode(),
                    response.body(),
                    retryAfter.isPresent() ? retryAfter.getAsLong() : null,
                    clock.nanoTime() - started);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while waiting for " + address, e);
        }
    }

    private static OptionalLong retryAfter(HttpResponse<?> response) {
        String value = response.headers().firstValue("retry-after").orElse("");
        return value.matches("[0-9]{1,9}") ? OptionalLong.of(Long.parseLong(value)) : OptionalLong.empty();
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address.url() + path))
                .timeout(ANSWER_LIMIT)
                .header("accept", "application/json");
        if (address.key() != null) {
            request.header("x-recallgate-key", address.key());
        }
        if (address.project() != null) {
            request.header("x-recallgate-project", address.project());
        }
        return request;
    }

    /** Nobody listens there. */
    static CommandFailedException notThere(GatewayAddress address, @Nullable Throwable cause) {
        return new CommandFailedException(
                "no gateway runs at " + address
                        + ": start one with './recallgate serve' (or './recallgate demo'), or name another with --url",
                cause);
    }

    private CommandFailedException unreachable(IOException cause) {
        if (cause instanceof HttpConnectTimeoutException) {
            return new CommandFailedException(
                    "nothing answers at " + address + " within " + CONNECT_LIMIT.toSeconds()
                            + " s: check --url and the network",
                    cause);
        }
        if (cause instanceof HttpTimeoutException) {
            return new CommandFailedException(
                    "the gateway at " + address + " took longer than " + ANSWER_LIMIT.toSeconds()
                            + " s: see './recallgate status'",
                    cause);
        }
        if (cause instanceof ConnectException || cause.getCause() instanceof ClosedChannelException) {
            return notThere(address, cause);
        }
        return new CommandFailedException(
                String.format(
                        Locale.ROOT,
                        "the connection to %s broke (%s): is the gateway still running? See './recallgate status'",
                        address,
                        cause.getMessage()),
                cause);
    }
}
