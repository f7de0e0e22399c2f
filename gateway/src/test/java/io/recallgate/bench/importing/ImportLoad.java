package io.recallgate.bench.importing;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.importing.ImportReport;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.http.HttpApi;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.runtime.MeasuredGateway;
import io.recallgate.gateway.runtime.Recallgate;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** One gateway that is filled, its pool that is asked alone before and after, and recalls beside. Used by one thread. */
final class ImportLoad implements AutoCloseable {

    private static final long BOUND_SECONDS = 120;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long STALL_SECONDS = 120;
    private static final int LOOKS = 10;

    /** What a vector of 384 dimensions costs the cache in process, and room for growth of its blocks. */
    private static final long CACHE_BYTES_PER_MEMORY = 2_048;

    private static final long LEAST_CACHE_BYTES = 128L << 20;

    private final Vertx vertx = Vertx.vertx();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MeasuredGateway measured;
    private final HttpApi api;
    private final GatewayAddress address;
    private final PrintStream progress;

    /**
     * What to do.
     *
     * @param memories to import
     * @param poolTexts that the pool is given alone, before and after
     * @param recallsPerSecond beside the import
     * @param idleRecalls after it, at the same rate
     * @param seed of texts and questions
     */
    record Plan(int memories, int poolTexts, double recallsPerSecond, int idleRecalls, long seed) {}

    /**
     * Bytes in use right after a full collection.
     *
     * @param memories that were embedded by then
     * @param heapBytes all of it
     * @param cacheBytes the part of it that is the cache of vectors
     */
    record Heap(int memories, long heapBytes, long cacheBytes) {
        long restBytes() {
            return heapBytes - cacheBytes;
        }
    }

    /**
     * What came of it.
     *
     * @param before the pool alone
     * @param after the pool alone
     * @param storedSeconds until the last memory was acknowledged
     * @param all until the last was embedded, from the first write
     * @param during recalls beside the import
     * @param idle recalls afterwards, with all memories there
     * @param heap in the order of time
     */
    record Result(
            Work before,
            Work after,
            double storedSeconds,
            Work all,
            Recalls.Asked during,
            Recalls.Asked idle,
            List<Heap> heap) {

        Work pool() {
            return before.and(after);
        }

        double share() {
            return all.perSecond() / pool().perSecond();
        }

        double shareByCpu() {
            return pool().cpuMillisPerText() / all.cpuMillisPerText();
        }

        /** The pool alone answers no recalls: what those beside the import cost is taken off, as idle ones tell it. */
        double shareWithoutRecalls() {
            double recalls = during.spans().size() * idle.work().cpuMillisPerText() / all.texts();
            return pool().cpuMillisPerText() / (all.cpuMillisPerText() - recalls);
        }

        /** What one worker's native run of a slice takes: the workers share what the pool does in a second. */
        double sliceMillis(int workers) {
            return 1_000.0 * PoolAlone.SLICE_ROWS * workers / pool().perSecond();
        }

        /** What the heap grew by between the first look during the import and the last, the cache apart. */
        long growthBytes() {
            return heap.get(heap.size() - 1).restBytes() - heap.get(1).restBytes();
        }
    }

    /**
     * Starts the gateway.
     *
     * @param directory for its data, empty
     */
    ImportLoad(Path directory, int memories, PrintStream progress) throws TimeoutException {
        this.progress = progress;
        Recallgate.Time time = new Recallgate.Time(SystemClock.INSTANCE, new VertxTimers(vertx));
        long cache = Math.max(LEAST_CACHE_BYTES, memories * CACHE_BYTES_PER_MEMORY);
        SettingsHolder settings = SettingsHolder.of(new JsonObject()
                .put("data-dir", directory.toString())
                .put("recall", new JsonObject().put("exact-index-cache-bytes", cache)));
        measured = new MeasuredGateway(vertx, settings, time, registry);
        boolean open = false;
        try {
            await(measured.gateway().start());
            api = HttpApi.create(
                    vertx,
                    measured.gateway(),
                    new HttpEnvironment(time.clock(), time.timers(), registry, null, "127.0.0.1"),
                    () -> HttpOptions.of(settings.config().http()));
            int port = await(api.serve(vertx.createHttpServer(HttpApi.serverOptions()))
                            .listen(0, "127.0.0.1"))
                    .actualPort();
            address = GatewayAddress.of("http://127.0.0.1:" + port, null, "bench");
            open = true;
        } finally {
            if (!open) {
                end(measured.gateway()::stop, vertx::close);
            }
        }
    }

    /** Measures. */
    Result run(Plan plan) throws Exception {
        PoolAlone pool = new PoolAlone(vertx, measured.embedder());
        ImportTexts poolTexts = new ImportTexts(plan.seed() + 1, Integer.MAX_VALUE);
        ImportTexts questions = new ImportTexts(plan.seed() + 2, 0);
        say("warming");
        pool.run(poolTexts.some(Math.min(500, plan.poolTexts())));
        try (Recalls warm = new Recalls(client(), questions, 20)) {
            TimeUnit.SECONDS.sleep(5);
            warm.asked();
        }
        say("the pool alone");
        Work before = pool.run(poolTexts.some(plan.poolTexts()));
        say("%.1f texts/s", before.perSecond());
        List<Heap> heap = new ArrayList<>();
        heap.add(heap(0));
        double storedSeconds;
        Work all;
        Recalls.Asked during;
        try (Recalls recalls = new Recalls(client(), questions, plan.recallsPerSecond())) {
            Work.Start start = Work.begin();
            storedSeconds = store(plan);
            say("%,d memories stored in %.1f s", plan.memories(), storedSeconds);
            awaitEmbedded(plan.memories(), heap);
            all = start.end(plan.memories());
            during = recalls.asked();
        }
        Recalls.Asked idle = idle(plan, questions);
        say("the pool alone again");
        Work after = pool.run(poolTexts.some(plan.poolTexts()));
        return new Result(before, after, storedSeconds, all, during, idle, heap);
    }

    private double store(Plan plan) {
        try (ImportTexts texts = new ImportTexts(plan.seed(), plan.memories())) {
            ImportReport report =
                    new Importer(client(), null, importer -> {}).run(texts, SystemClock.INSTANCE::nanoTime);
            if (report.accepted() != plan.memories()) {
                throw new CommandFailedException("only " + report.accepted() + " memories were accepted");
            }
            return report.seconds();
        }
    }

    /** Counted by the runner: asking the database would be part of what is measured. */
    private void awaitEmbedded(int memories, List<Heap> heap) throws InterruptedException {
        double moved = 0;
        long movedAt = SystemClock.INSTANCE.nanoTime();
        for (double done = embedded(); done < memories; done = embedded()) {
            long now = SystemClock.INSTANCE.nanoTime();
            if (done > moved) {
                moved = done;
                movedAt = now;
            } else if (now - movedAt > TimeUnit.SECONDS.toNanos(STALL_SECONDS)) {
                throw new CommandFailedException("no memory was embedded for " + STALL_SECONDS + " s, " + (int) done
                        + " of " + memories + " are");
            }
            if (done * LOOKS / memories >= heap.size()) {
                look((int) done, heap);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        look(memories, heap);
    }

    private void look(int done, List<Heap> heap) {
        Heap now = heap(done);
        heap.add(now);
        say(
                "%,d embedded; heap %.1f MiB, of which %.1f MiB are vectors",
                done, now.heapBytes() / 1_048_576.0, now.cacheBytes() / 1_048_576.0);
    }

    private double embedded() {
        return registry.counter("recallgate.jobs", "outcome", "done").count();
    }

    private Recalls.Asked idle(Plan plan, ImportTexts questions) throws InterruptedException, ExecutionException {
        say("recalls while nothing else happens");
        // At a higher rate, so that it does not take as long as the import; each is over before the next.
        double perSecond = Math.max(plan.recallsPerSecond(), 5);
        try (Recalls recalls = new Recalls(client(), questions, perSecond)) {
            long end = SystemClock.INSTANCE.nanoTime() + Math.round(plan.idleRecalls() / perSecond * 1e9);
            while (SystemClock.INSTANCE.nanoTime() < end) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            return recalls.asked();
        }
    }

    @SuppressWarnings("DoNotCall") // only what is left by a full collection is in use
    private Heap heap(int memories) {
        System.gc();
        Gauge cache = registry.find("recallgate.vector.cache.bytes").gauge();
        return new Heap(
                memories,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                cache == null ? 0 : (long) cache.value());
    }

    private GatewayClient client() {
        return new GatewayClient(address, SystemClock.INSTANCE, Pauses.real(), PATIENCE);
    }

    private void say(String format, Object... values) {
        progress.printf(Locale.ROOT, format + "%n", values);
    }

    private static <T> T await(Future<T> future) throws TimeoutException {
        return future.await(BOUND_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws TimeoutException {
        end(api::close, measured.gateway()::stop, vertx::close);
    }

    /** Waits for each, even if this thread was interrupted to end the measuring. */
    @SafeVarargs
    private static void end(Supplier<Future<?>>... steps) throws TimeoutException {
        boolean interrupted = Thread.interrupted();
        try {
            for (Supplier<Future<?>> step : steps) {
                await(step.get());
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
