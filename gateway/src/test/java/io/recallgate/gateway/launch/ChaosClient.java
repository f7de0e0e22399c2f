package io.recallgate.gateway.launch;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writers and a reader that use gateways until they are stopped: each request goes to one of them, whatever the one
 * before did. What each writer does is drawn from the seed; how requests and kills meet is not.
 */
final class ChaosClient implements AutoCloseable {

    private static final int WRITERS = 3;
    private static final int MAX_BATCH = 20;

    /** Before the next try, after one that was refused. */
    private static final long PAUSE_MILLIS = 50;

    private static final String[] WORDS = {
        "harbour", "lantern", "invoice", "Kyoto", "piano", "retrospective", "deadline", "garden", "ticket", "violin"
    };

    private final List<URI> gateways;
    private final long paceMillis;
    private final ChaosLog log;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
    private final List<Future<?>> running = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);

    /**
     * A client that is not started yet.
     *
     * @param ports of gateways on the same database
     * @param paceMillis that each writer waits between two requests
     */
    ChaosClient(List<Integer> ports, long paceMillis, ChaosLog log) {
        this.gateways = ports.stream()
                .map(port -> URI.create("http://127.0.0.1:" + port))
                .toList();
        this.paceMillis = paceMillis;
        this.log = log;
    }

    /** @param round makes names that no other round has */
    void start(long seed, int round) {
        for (int writer = 0; writer < WRITERS; writer++) {
            Writer one = new Writer("r" + round + "w" + writer, new Random(seed * 1_000 + round * 10L + writer));
            running.add(threads.submit(one));
        }
        running.add(threads.submit(() -> recallUntilStopped(new Random(seed + round))));
    }

    /** Lets requests on their way end, with or without an answer. Fails with what a writer or the reader found wrong. */
    void stop() throws Exception {
        stopping.countDown();
        for (Future<?> one : running) {
            one.get(120, TimeUnit.SECONDS);
        }
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    @Override
    public void close() {
        stopping.countDown();
        threads.shutdownNow();
    }

    private @Nullable HttpResponse<String> send(Random random, String method, String path, @Nullable JsonObject body)
            throws InterruptedException {
        URI gateway = gateways.get(random.nextInt(gateways.size()));
        HttpRequest.Builder request =
                HttpRequest.newBuilder(gateway.resolve(path)).timeout(Duration.ofSeconds(60));
        if (body == null) {
            request.method(method, BodyPublishers.noBody());
        } else {
            request.header("content-type", "application/json").method(method, BodyPublishers.ofString(body.encode()));
        }
        try {
            HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
            log.answered(response.statusCode());
            return response;
        } catch (IOException e) {
            log.answered(0);
            return null;
        }
    }

    private Void recallUntilStopped(Random random) throws InterruptedException {
        while (!isStopping()) {
            JsonObject query = new JsonObject()
                    .put("query", WORDS[random.nextInt(WORDS.length)])
                    .put("limit", 5);
            HttpResponse<String> response = send(random, "POST", "/v1/recall", query);
            if (response != null && response.statusCode() != 200 && response.statusCode() < 429) {
                throw new AssertionError("recall was answered with " + response.statusCode() + ": " + response.body());
            }
            boolean served = response != null && response.statusCode() == 200;
            if (!served && stopping.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                return null;
            }
        }
        return null;
    }

    /** Stores, stores again, changes and deletes memories of its own. */
    private final class Writer implements Runnable {
        private final String prefix;
        private final Random random;
        private final List<String> mine = new ArrayList<>();
        private int next;

        Writer(String prefix, Random random) {
            this.prefix = prefix;
            this.random = random;
        }

        @Override
        public void run() {
            try {
                while (!isStopping()) {
                    long pauseMillis = step() ? paceMillis : Math.max(PAUSE_MILLIS, paceMillis);
                    if (stopping.await(pauseMillis, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private boolean step() throws InterruptedException {
            int dice = random.nextInt(10);
            if (dice == 0 && !mine.isEmpty()) {
                return delete(mine.get(random.nextInt(mine.size())));
            }
            Map<String, String> contents = new LinkedHashMap<>();
            int size = 1 + random.nextInt(MAX_BATCH);
            for (int i = 0; i < size; i++) {
                boolean known = dice < 4 && !mine.isEmpty();
                String name = known ? mine.get(random.nextInt(mine.size())) : prefix + "n" + next++;
                contents.put(name, words(name));
                if (!known) {
                    mine.add(name);
                }
            }
            return store(contents);
        }

        /** Few contents for a name, so that the same one is often sent again. */
        private String words(String name) {
            int version = random.nextInt(3);
            return name + " version " + version + " " + WORDS[(name.hashCode() & 0xff) % WORDS.length] + " "
                    + WORDS[version];
        }

        private boolean store(Map<String, String> contents) throws InterruptedException {
            JsonArray memories = new JsonArray();
            contents.forEach((name, content) ->
                    memories.add(new JsonObject().put("external_id", name).put("content", content)));
            log.sent(contents);
            HttpResponse<String> response =
                    send(random, "POST", "/v1/memories", new JsonObject().put("memories", memories));
            if (response == null || response.statusCode() != 202) {
                return mayHappen(response);
            }
            Map<String, String> ids = new LinkedHashMap<>();
            JsonArray answers = new JsonObject(response.body()).getJsonArray("memories");
            for (int i = 0; i < answers.size(); i++) {
                JsonObject one = answers.getJsonObject(i);
                ids.put(one.getString("external_id"), one.getString("id"));
            }
            if (!ids.keySet().equals(contents.keySet())) {
                throw new AssertionError("sent " + contents.keySet() + ", acknowledged " + ids.keySet());
            }
            log.acknowledged(contents, ids);
            return true;
        }

        private boolean delete(String name) throws InterruptedException {
            String id = log.id(name);
            if (id == null) {
                return true;
            }
            Map<String, String> gone = Map.of(name, ChaosLog.ABSENT);
            log.sent(gone);
            HttpResponse<String> response = send(random, "DELETE", "/v1/memories/" + id, null);
            // Not found: an earlier deletion without an answer did it, or the memory was stored anew under another id.
            if (response != null && response.statusCode() == 204) {
                log.acknowledged(gone, Map.of());
                return true;
            }
            return (response != null && response.statusCode() == 404) || mayHappen(response);
        }

        /** Refusals that a restart explains; anything else is a finding. */
        private boolean mayHappen(@Nullable HttpResponse<String> response) {
            if (response != null && response.statusCode() != 429 && response.statusCode() < 500) {
                throw new AssertionError(
                        prefix + " was answered with " + response.statusCode() + ": " + response.body());
            }
            return false;
        }
    }
}
