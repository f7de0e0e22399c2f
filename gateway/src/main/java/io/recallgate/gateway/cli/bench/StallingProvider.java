package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A server that speaks OpenAI's {@code /v1/embeddings} and answers a share of the questions late. Documents are answered
 * at once. Which question is late is drawn from the seed, the text and how often that text has been asked, so that it
 * does not depend on the order in which they arrive. A vector is the sum of one direction for each word, so that texts
 * with the same words are near. It can also be told to answer nobody, or to be gone. Thread-safe.
 */
public final class StallingProvider implements AutoCloseable {

    /** Put before each question by the gateway, which tells questions from documents. */
    static final String QUESTION = "question: ";

    static final String MODEL = "stalling";
    static final int DIMENSIONS = 384;

    private static final long BOUND_SECONDS = 30;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Timers timers = new VertxTimers(vertx);
    private final long seed;
    private HttpServer server;
    private final int port;

    // All below is guarded by this.

    private final Map<String, Integer> asked = new HashMap<>();
    private double share;
    private long stallMillis;
    private long leastMillis;
    private long mostMillis;
    private boolean hangs;
    private boolean refuses;
    private int questions;
    private int stalled;

    private StallingProvider(long seed) {
        this.seed = seed;
        this.server = listen(0);
        this.port = server.actualPort();
    }

    /** Starts one on a free port of the loopback address; nothing stalls yet. */
    public static StallingProvider start(long seed) {
        return new StallingProvider(seed);
    }

    private HttpServer listen(int at) {
        return await(vertx.createHttpServer().requestHandler(this::handle).listen(at, "127.0.0.1"));
    }

    private <T> T await(Future<T> step) {
        try {
            return step.toCompletionStage().toCompletableFuture().get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            vertx.close();
            throw new CommandFailedException("no embedding server can listen on the loopback address: " + e, e);
        } catch (InterruptedException e) {
            vertx.close();
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while starting an embedding server", e);
        }
    }

    /** The settings of a gateway that asks this one. */
    public Map<String, String> settings() {
        return Map.of(
                "RECALLGATE_EMBEDDING_PROVIDER",
                "openai",
                "RECALLGATE_EMBEDDING_URL",
                "http://127.0.0.1:" + port + "/v1",
                "RECALLGATE_EMBEDDING_MODEL",
                MODEL,
                "RECALLGATE_EMBEDDING_QUERY_PREFIX",
                QUESTION);
    }

    /**
     * From now on.
     *
     * @param share of the questions that stall, 0 to 1
     * @param millis how late they are answered
     */
    synchronized void stall(double share, long millis) {
        this.share = share;
        this.stallMillis = millis;
        questions = 0;
        stalled = 0;
        asked.clear();
    }

    /** From now on each question takes so long, drawn as {@link #stall} draws; zero and zero for no time at all. */
    public synchronized void delay(long leastMillis, long mostMillis) {
        this.leastMillis = leastMillis;
        this.mostMillis = mostMillis;
    }

    /** From now on nobody is answered, or all that ask from now on are. */
    public synchronized void hang(boolean hangs) {
        this.hangs = hangs;
    }

    /** From now on nobody is let in, and who is in is thrown out, or all are again. */
    public synchronized void refuse(boolean refuses) {
        if (refuses != this.refuses) {
            this.refuses = refuses;
            if (refuses) {
                await(server.close());
            } else {
                server = listen(port);
            }
        }
    }

    private synchronized boolean isHanging() {
        return hangs;
    }

    /** Questions that reached it since it was last told how to stall. */
    synchronized int questions() {
        return questions;
    }

    /** Those of them that stalled. */
    synchronized int stalled() {
        return stalled;
    }

    private void handle(HttpServerRequest request) {
        if (isHanging()) {
            return;
        }
        request.body().onSuccess(body -> {
            JsonObject asking = body.toJsonObject();
            JsonArray inputs = asking.getValue("input") instanceof JsonArray several
                    ? several
                    : new JsonArray().add(asking.getString("input"));
            long wait = 0;
            for (int i = 0; i < inputs.size(); i++) {
                wait = Math.max(wait, waitMillis(inputs.getString(i)));
            }
            String answer = answer(inputs).encode();
            HttpServerResponse response = request.response().putHeader("content-type", "application/json");
            if (wait == 0) {
                response.end(answer);
            } else {
                timers.schedule(TimeUnit.MILLISECONDS.toNanos(wait), () -> {
                    if (!response.closed()) {
                        response.end(answer);
                    }
                });
            }
        });
    }

    private synchronized long waitMillis(String text) {
        if (!text.startsWith(QUESTION)) {
            return 0;
        }
        questions++;
        int time = asked.merge(text, 1, Integer::sum);
        SplittableRandom random = new SplittableRandom(seed * 31 + text.hashCode() * 1_000_003L + time);
        if (random.nextDouble() >= share) {
            return mostMillis == 0 ? 0 : random.nextLong(leastMillis, mostMillis);
        }
        stalled++;
        return stallMillis;
    }

    /** Vectors of these texts, in the shape of an answer. */
    static JsonObject answer(JsonArray inputs) {
        JsonArray data = new JsonArray();
        for (int i = 0; i < inputs.size(); i++) {
            data.add(new JsonObject()
                    .put("object", "embedding")
                    .put("index", i)
                    .put("embedding", vector(inputs.getString(i))));
        }
        return new JsonObject()
                .put("object", "list")
                .put("data", data)
                .put("model", MODEL)
                .put(
                        "usage",
                        new JsonObject().put("prompt_tokens", inputs.size()).put("total_tokens", inputs.size()));
    }

    private static JsonArray vector(String text) {
        float[] sum = new float[DIMENSIONS];
        for (String word : text.toLowerCase(Locale.ROOT).split("\\W+", -1)) {
            SplittableRandom direction = new SplittableRandom(word.hashCode());
            for (int i = 0; i < DIMENSIONS; i++) {
                sum[i] += (float) direction.nextDouble(-1, 1);
            }
        }
        double squares = 1e-12;
        for (float value : sum) {
            squares += value * value;
        }
        JsonArray vector = new JsonArray();
        for (float value : sum) {
            vector.add((float) (value / Math.sqrt(squares)));
        }
        return vector;
    }

    /** Whoever still waits loses its connection. */
    @Override
    public void close() {
        vertx.close();
    }
}
