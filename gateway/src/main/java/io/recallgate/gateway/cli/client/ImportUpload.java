package io.recallgate.gateway.cli.client;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.parsetools.RecordParser;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One {@code POST /v1/memories/import}: sends as fast as the gateway takes it and reads the answer meanwhile, which the
 * JDK's client does not do: it would lose the reason when a gateway ends an import early. Used by one thread.
 */
public final class ImportUpload implements AutoCloseable {

    private static final String PATH = "/v1/memories/import";
    private static final int CONNECT_MILLIS = 5_000;

    /** Collected before they are sent: a packet for each short line would cost more than the line. */
    private static final int CHUNK_BYTES = 64 * 1024;

    /** Longer than the gateway repeats the writing of one batch. */
    private static final Duration STALL = Duration.ofMinutes(2);

    private final GatewayAddress address;
    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
    private final CompletableFuture<Answer> over = new CompletableFuture<>();
    private final CompletableFuture<Boolean> welcome = new CompletableFuture<>();
    private Buffer chunk = Buffer.buffer();
    private @Nullable HttpClientRequest request;
    private volatile @Nullable JsonObject progress;

    private ImportUpload(GatewayAddress address) {
        this.address = address;
    }

    /**
     * Asks for an import; nothing of the body is sent before the gateway wants it.
     *
     * @param session of memories that name none; null leaves them without
     * @throws CommandFailedException if nothing answers
     */
    public static ImportUpload open(GatewayAddress address, @Nullable String session) {
        ImportUpload upload = new ImportUpload(address);
        try {
            upload.begin(session);
            return upload;
        } catch (RuntimeException e) {
            upload.close();
            throw e;
        }
    }

    private void begin(@Nullable String session) {
        String query = session == null
                ? ""
                : "?session="
                        + URLEncoder.encode(session, StandardCharsets.UTF_8).replace("+", "%20");
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setAbsoluteURI(address.url() + PATH + query)
                .setConnectTimeout(CONNECT_MILLIS)
                .putHeader("content-type", "application/x-ndjson")
                .putHeader("accept", "application/json")
                .putHeader("expect", "100-continue");
        if (address.key() != null) {
            options.putHeader("x-recallgate-key", address.key());
        }
        if (address.project() != null) {
            options.putHeader("x-recallgate-project", address.project());
        }
        HttpClientRequest opened = await(vertx.createHttpClient(new HttpClientOptions())
                .request(options)
                .toCompletionStage()
                .toCompletableFuture());
        request = opened;
        opened.setChunked(true);
        opened.exceptionHandler(this::broken);
        opened.continueHandler(ignored -> welcome.complete(true));
        opened.response().onComplete(this::answer, this::broken);
        opened.sendHead().onFailure(this::broken);
        await(CompletableFuture.anyOf(welcome, over));
    }

    private void answer(HttpClientResponse response) {
        Buffer whole = Buffer.buffer();
        boolean stream = response.statusCode() == 200;
        RecordParser lines = RecordParser.newDelimited("\n", line -> {
            line(response.statusCode(), line.toString(StandardCharsets.UTF_8));
        });
        response.handler(piece -> {
            if (stream) {
                lines.handle(piece);
            } else {
                whole.appendBuffer(piece);
            }
        });
        response.exceptionHandler(this::broken);
        response.endHandler(ended -> {
            if (stream) {
                broken(new IllegalStateException("the answer ended without a last line"));
            } else {
                over.complete(new Answer(
                        response.statusCode(),
                        whole.toString(StandardCharsets.UTF_8),
                        retryAfter(response.getHeader("retry-after")),
                        0));
            }
        });
    }

    private void line(int status, String line) {
        try {
            JsonObject told = new JsonObject(line);
            if (told.containsKey("done")) {
                over.complete(new Answer(status, line, null, 0));
            } else {
                progress = told;
            }
        } catch (DecodeException e) {
            broken(e);
        }
    }

    private static @Nullable Long retryAfter(@Nullable String value) {
        return value != null && value.matches("[0-9]{1,9}") ? Long.valueOf(value) : null;
    }

    private void broken(Throwable error) {
        over.completeExceptionally(error);
    }

    /** The counts that the gateway told last, null before the first. */
    public @Nullable JsonObject progress() {
        return progress;
    }

    /** Whether the gateway has answered to the end: then what is sent is not read. */
    public boolean isOver() {
        return over.isDone();
    }

    /**
     * Sends a line; waits until the gateway takes it.
     *
     * @param line without its end
     */
    public void send(byte[] line) {
        chunk.appendBytes(line).appendByte((byte) '\n');
        if (chunk.length() >= CHUNK_BYTES) {
            flush();
        }
    }

    /** Sends what has been collected. */
    public void flush() {
        HttpClientRequest to = request;
        if (to != null && chunk.length() > 0 && !isOver()) {
            CompletableFuture<Void> sent = to.write(chunk).toCompletionStage().toCompletableFuture();
            // What cannot be sent shows in the answer, or in its absence.
            await(CompletableFuture.anyOf(sent.exceptionally(lost -> null), over));
        }
        chunk = Buffer.buffer();
    }

    /** Sends what is left and the end. */
    public void end() {
        flush();
        HttpClientRequest to = request;
        if (to != null && !isOver()) {
            to.end().onFailure(this::broken);
        }
    }

    /**
     * The answer: the last line, or a problem.
     *
     * @param millis how long to wait
     * @return null when it has not come
     * @throws CommandFailedException if the connection broke
     */
    public @Nullable Answer answer(long millis) {
        try {
            return over.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // The caller looks after its progress and asks again.
            return null;
        } catch (ExecutionException e) {
            throw lost(e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(STALL.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new CommandFailedException(
                    "the gateway at " + address + " took nothing for " + STALL.toSeconds()
                            + " s: see './recallgate status'",
                    e);
        } catch (ExecutionException e) {
            throw lost(e.getCause());
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private CommandFailedException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new CommandFailedException("interrupted while waiting for " + address, cause);
    }

    private CommandFailedException lost(@Nullable Throwable cause) {
        return request == null
                ? GatewayClient.notThere(address, cause)
                : new CommandFailedException(
                        "the connection to " + address
                                + " broke: is the gateway still running? See './recallgate status'",
                        cause);
    }

    @Override
    public void close() {
        vertx.close();
    }
}
