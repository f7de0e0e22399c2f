package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.time.Clock;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends requests of conversations to a gateway, or to the provider behind it. Thread-safe; each waits for its own answer. */
final class TurnClient {

    /** Above every bound of the gateway that matters here. */
    private static final Duration ANSWER_LIMIT = Duration.ofMinutes(2);

    private static final Pattern TIMING = Pattern.compile("([a-z]+);dur=([0-9.]+)");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Clock clock;

    TurnClient(Clock clock) {
        this.clock = clock;
    }

    /**
     * What came back.
     *
     * @param nanos from sending to the last byte
     */
    @SuppressWarnings("ArrayRecordComponent") // bytes that go from hand to hand
    record TurnAnswer(int status, HttpHeaders headers, byte[] body, long nanos) {

        /** The phases that the gateway tells, in milliseconds. */
        Map<String, Double> phases() {
            Map<String, Double> phases = new HashMap<>();
            for (String header : headers.allValues("server-timing")) {
                Matcher matcher = TIMING.matcher(header);
                while (matcher.find()) {
                    phases.put(matcher.group(1), Double.parseDouble(matcher.group(2)));
                }
            }
            return phases;
        }

        /** A header, empty if it is not there. */
        String header(String name) {
            return headers.firstValue(name).orElse("");
        }

        /** Milliseconds that the provider itself took. */
        double heldMillis() {
            String held = header(StubProvider.HELD);
            return held.isEmpty() ? 0 : Long.parseLong(held) / 1_000.0;
        }
    }

    /** POST of a body with these headers. */
    TurnAnswer send(URI base, String path, byte[] body, Map<String, String> headers) {
        try {
            return answer(start(base, path, body, headers), ANSWER_LIMIT);
        } catch (TimeoutException e) {
            throw new CommandFailedException("a turn was not answered within " + ANSWER_LIMIT.toSeconds() + " s", e);
        }
    }

    /** A request on its way, which can be given up: that closes its connection. */
    record Pending(CompletableFuture<HttpResponse<byte[]>> response, long startedNanos) {}

    Pending start(URI base, String path, byte[] body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        long started = clock.nanoTime();
        return new Pending(http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray()), started);
    }

    /** @throws TimeoutException if it takes longer */
    TurnAnswer answer(Pending pending, Duration limit) throws TimeoutException {
        try {
            HttpResponse<byte[]> response = pending.response().get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return new TurnAnswer(
                    response.statusCode(),
                    response.headers(),
                    response.body(),
                    clock.nanoTime() - pending.startedNanos());
        } catch (ExecutionException e) {
            throw new CommandFailedException("a turn was not answered: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while measuring", e);
        }
    }

    /** GET of bytes, none when they are not there. */
    byte[] get(URI url) {
        try {
            HttpResponse<byte[]> response =
                    http.send(HttpRequest.newBuilder(url).GET().build(), HttpResponse.BodyHandlers.ofByteArray());
            return response.statusCode() == 200 ? response.body() : new byte[0];
        } catch (IOException e) {
            throw new CommandFailedException("the provider to measure with is gone: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while measuring", e);
        }
    }
}
