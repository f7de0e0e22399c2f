package io.recallgate.gateway.cli.bench;

import io.recallgate.digest.Sha256;
import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.measure.PrometheusText;
import io.recallgate.gateway.cli.measure.Spans;
import io.recallgate.time.Clock;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads {@code /metrics} of a gateway of its own while callers of many owners use every kind of route, with sessions,
 * projects, models and paths that are new each time: how long a look takes, and whether the number of series grows. Used by
 * one thread.
 */
public final class MetricsBench {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Owners of the keys file; who is new beyond it gets a 401. */
    private static final int OWNERS = 200;

    private static final long LOOK_EVERY_MILLIS = 100;

    private static final int QUIET_LOOKS = 500;

    /** Of the load, at whose ends series are counted. */
    private static final int PARTS = 10;

    /** Jobs are counted every fifteen seconds. */
    private static final int JOBS_SECONDS = 45;

    private final Screen screen;
    private final Clock clock;
    private final Pauses pauses;

    /** @param screen for progress */
    public MetricsBench(Screen screen, Clock clock, Pauses pauses) {
        this.screen = screen;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * What was measured.
     *
     * @param looks spans of reading {@code /metrics} under load, as a client sees them
     * @param quietLooks the same after the load, with all the series that it left
     * @param requests of the load
     * @param seriesFirst when the gateway was ready
     * @param seriesWarm after every kind of request was sent once by a first few callers
     * @param seriesInParts at the end of each tenth of the load, fewer if it was too short for a look in each
     * @param seriesLast at the end
     * @param bytesLast of the last page
     */
    public record Result(
            Spans looks,
            Spans quietLooks,
            long requests,
            long seriesFirst,
            long seriesWarm,
            List<Long> seriesInParts,
            long seriesLast,
            long bytesLast) {

        /** Copies the list. */
        public Result {
            seriesInParts = List.copyOf(seriesInParts);
        }
    }

    /**
     * Measures.
     *
     * @param directory empty
     * @param seconds of the load
     * @param clients that call at the same time
     * @throws CommandFailedException if the gateway does not come up
     */
    public Result run(Path directory, int seconds, int clients) {
        int port = ChildGateway.freePort();
        List<GatewayClient> owners = owners(directory, port);
        GatewayClient looker = owners.get(0);
        Map<String, String> settings = Map.of(
                "RECALLGATE_API_KEYS_FILE", directory.resolve("keys.yaml").toString(), "RECALLGATE_UPSTREAM", "demo");
        try (ChildGateway gateway = ChildGateway.startWith(
                        looker,
                        clock,
                        pauses,
                        new ChildGateway.Launch(port, directory.resolve("data"), settings, List.of()));
                Progress progress = new Progress(screen, clock, "measuring /metrics")) {
            progress.show("starting");
            gateway.awaitMillis("/health/ready");
            // The first look adds the series of its own route.
            page(looker);
            long first = series(page(looker));
            Random random = new Random(1);
            for (int i = 0; i < 3; i++) {
                callers(owners.get(i), random);
            }
            long warm = series(page(looker));
            Load load = new Load(owners, seconds, clients);
            Spans looks = load.look(looker, progress);
            awaitJobs(looker, progress);
            Spans quiet = new Spans();
            for (int i = 0; i < QUIET_LOOKS; i++) {
                timed(looker, quiet);
                progress.show(i + 1, QUIET_LOOKS, "looks");
            }
            String last = page(looker);
            gateway.stopMillis();
            return new Result(
                    looks, quiet, load.requests.get(), first, warm, load.inParts, series(last), last.length());
        }
    }

    private List<GatewayClient> owners(Path directory, int port) {
        StringBuilder file = new StringBuilder("keys:\n");
        List<GatewayClient> clients = new ArrayList<>();
        for (int i = 0; i < OWNERS; i++) {
            String key = "key-" + UUID.randomUUID();
            file.append("  - {sha256: ")
                    .append(Sha256.hex(key))
                    .append(", owner: owner-")
                    .append(UUID.randomUUID())
                    .append(", rights: [read, write]}\n");
            clients.add(new GatewayClient(
                    GatewayAddress.of("http://127.0.0.1:" + port, key, null), clock, pauses, PATIENCE));
        }
        try {
            Files.createDirectory(directory.resolve("data"));
            Files.writeString(directory.resolve("keys.yaml"), file);
        } catch (IOException e) {
            throw new CommandFailedException("cannot write keys to measure with: " + e.getMessage(), e);
        }
        return clients;
    }

    /** One caller's round: each kind of request, with names that nobody had before. */
    private static int callers(GatewayClient owner, Random random) {
        String name = UUID.randomUUID().toString();
        GatewayClient client = owner.withProject(name);
        String text = "note " + random.nextInt();
        JsonObject turn = new JsonObject()
                .put("model", name)
                .put("max_tokens", 8)
                .put(
                        "messages",
                        new JsonArray().add(new JsonObject().put("role", "user").put("content", text)));
        Map<String, String> session =
                Map.of("x-recallgate-session", name, "x-request-id", name, "authorization", "Bearer " + name);
        client.post("/v1/memories", new JsonObject().put("content", text).put("session", name));
        client.post(
                "/v1/recall",
                new JsonObject().put("query", text).put("mode", "lexical").put("session", name));
        client.post("/v1/recall", new JsonObject().put("query", text).put("deadline_ms", 2_000));
        client.post("/v1/embeddings", new JsonObject().put("input", text).put("model", name));
        client.post("/v1/chat/completions", turn, session);
        client.post("/v1/messages", turn, session);
        client.get("/v1/memories?session=" + name);
        client.get("/v1/memories/" + name);
        client.get("/v1/" + name);
        client.get("/v1/jobs");
        return 10;
    }

    private String timed(GatewayClient looker, Spans spans) {
        long began = clock.nanoTime();
        String page = page(looker);
        spans.add(clock.nanoTime() - began);
        return page;
    }

    /** What the load has left to be embedded would go on being load. */
    private void awaitJobs(GatewayClient looker, Progress progress) {
        progress.show("waiting for the jobs");
        for (int i = 0; i < JOBS_SECONDS; i++) {
            PrometheusText page = PrometheusText.parse(page(looker));
            double open = page.named("recallgate_jobs_present").stream()
                    .filter(sample -> !sample.label("state").equals("failed"))
                    .mapToDouble(PrometheusText.Sample::value)
                    .sum();
            if (open == 0) {
                return;
            }
            pauses.pauseMillis(1_000);
        }
    }

    private static String page(GatewayClient client) {
        Answer answer = client.get("/metrics");
        if (!answer.isSuccess()) {
            throw new CommandFailedException("/metrics was not answered: " + answer.text());
        }
        return answer.text();
    }

    private static long series(String page) {
        return page.lines().filter(line -> !line.startsWith("#")).count();
    }

    /** Callers in threads of their own, until the time is over. */
    private final class Load {

        private final AtomicLong requests = new AtomicLong();
        private final List<Long> inParts = new ArrayList<>();
        private final List<GatewayClient> owners;
        private final int clients;
        private final long endNanos;
        private final int seconds;

        private Load(List<GatewayClient> owners, int seconds, int clients) {
            this.owners = owners;
            this.clients = clients;
            this.seconds = seconds;
            this.endNanos = clock.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        }

        private boolean isOver() {
            return clock.nanoTime() - endNanos >= 0;
        }

        private long partsOver() {
            long left = Math.max(0, endNanos - clock.nanoTime());
            return PARTS - (left * PARTS + TimeUnit.SECONDS.toNanos(seconds) - 1) / TimeUnit.SECONDS.toNanos(seconds);
        }

        private Spans look(GatewayClient looker, Progress progress) {
            ExecutorService threads = Executors.newFixedThreadPool(clients);
            try {
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < clients; i++) {
                    Random random = new Random(i);
                    running.add(threads.submit(() -> call(random)));
                }
                Spans looks = new Spans();
                while (!isOver()) {
                    String page = timed(looker, looks);
                    if (inParts.size() < partsOver()) {
                        inParts.add(series(page));
                    }
                    progress.show(
                            seconds - TimeUnit.NANOSECONDS.toSeconds(endNanos - clock.nanoTime()), seconds, "seconds");
                    pauses.pauseMillis(LOOK_EVERY_MILLIS);
                }
                for (Future<?> one : running) {
                    one.get();
                }
                return looks;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CommandFailedException("interrupted", e);
            } catch (ExecutionException e) {
                throw new CommandFailedException("a caller failed: " + e.getCause(), e);
            } finally {
                threads.shutdownNow();
            }
        }

        private void call(Random random) {
            while (!isOver() && !Thread.currentThread().isInterrupted()) {
                requests.addAndGet(callers(owners.get(random.nextInt(owners.size())), random));
            }
        }
    }
}
