package io.recallgate.gateway.launch;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.recallgate.embedding.ProcessSignals;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.cli.GatewayServer;
import io.recallgate.gateway.config.ConfigException;
import io.recallgate.gateway.config.ConfigFiles;
import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.config.SettingsHolder;
import io.recallgate.gateway.http.HttpApi;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.HttpOptions;
import io.recallgate.gateway.runtime.Recallgate;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one gateway in this process, from the first setting to the last confirmed end. */
public final class GatewayLauncher implements GatewayServer {

    private static final Logger LOG = LoggerFactory.getLogger(GatewayLauncher.class);

    /**
     * Beyond what the steps of a stop allow themselves together, something is broken, and waiting will not mend it. The
     * steps that do not drain have 31 seconds.
     */
    private static final long STOP_SLACK_MILLIS = 45_000;

    private static final long CLOSE_MILLIS = 2_000;

    /** Beyond the stop: closing Vert.x, and the native code. */
    private static final long LAST_RESORT_MILLIS = 15_000;

    private final PrintStream out;
    private final PrintStream err;
    private final CompletableFuture<Void> stopRequested = new CompletableFuture<>();
    private final AtomicBoolean lastResort = new AtomicBoolean();
    private volatile LongSupplier stopBoundMillis = () -> STOP_SLACK_MILLIS;

    /** One that speaks on the process's streams. */
    public GatewayLauncher() {
        this(System.out, System.err);
    }

    GatewayLauncher(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public int run(Map<String, String> environment, Optional<Path> file, Consumer<String> onListening) {
        // Before anything native is loaded, and before there is anything that a signal could leave behind.
        if (!ProcessSignals.install(this::signalled)) {
            LOG.warn("signals cannot be handled here: stop the gateway only when it is idle");
        }
        HangUp.install(() -> signalled(HangUp.STATUS));
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, error) -> LOG.error("an uncaught error on {}", thread.getName(), error));
        ConfigFiles files;
        try {
            SettingsHolder settings = SettingsHolder.load(environment, file);
            LogSetup.apply(settings.config().log());
            files = ConfigFiles.of(settings);
        } catch (ConfigException wrong) {
            say(wrong.line());
            return 1;
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Vertx vertx = VertxFactory.create(registry);
        boolean clean = false;
        try {
            clean = serve(vertx, files, registry, onListening);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            say("interrupted");
        } finally {
            close(vertx);
        }
        return clean ? 0 : 1;
    }

    /**
     * The process is to end. The thread that runs the gateway sees to it, unless it stands still: for an output that nobody
     * reads, or in a step that never returns.
     */
    private void signalled(int status) {
        stop();
        if (lastResort.getAndSet(true)) {
            return;
        }
        ProcessSignals.haltAfter(status, stopBoundMillis.getAsLong() + LAST_RESORT_MILLIS);
    }

    @Override
    public void stop() {
        stopRequested.complete(null);
    }

    /** @return whether it was ready or told to stop, and everything was seen to end */
    private boolean serve(
            Vertx vertx, ConfigFiles files, PrometheusMeterRegistry registry, Consumer<String> onListening)
            throws InterruptedException {
        SettingsHolder settings = files.settings();
        Recallgate.Time time = new Recallgate.Time(SystemClock.INSTANCE, new VertxTimers(vertx));
        RecallgateConfig config = settings.config();
        Recallgate gateway;
        try {
            gateway = Recallgate.create(vertx, files, time, registry);
        } catch (ConfigException wrong) {
            say(wrong.line());
            return false;
        }
        // Requests drain, then workers; as the setting is when the stop comes.
        stopBoundMillis = () -> 2 * settings.config().drainMillis() + STOP_SLACK_MILLIS;
        // Step by step on this thread: loading the classes of the HTTP side takes most of a second, and done in the
        // callbacks of the steps it would hold up the event loop that they run on.
        boolean started = await(gateway.claim());
        if (started && !stopRequested.isDone()) {
            HttpApi api = HttpApi.create(
                    vertx,
                    gateway,
                    new HttpEnvironment(
                            time.clock(),
                            time.timers(),
                            registry,
                            files.keys().orElse(null),
                            config.http().host()),
                    () -> HttpOptions.of(settings.config().http()));
            HttpFront front = new HttpFront(vertx, api, config);
            gateway.onDrain(front::drain);
            Future<Integer> port = front.listen();
            started = await(port);
            if (started && !stopRequested.isDone()) {
                listening(config, port.result(), onListening);
                started = await(gateway.start());
            }
        }
        if (started && !stopRequested.isDone()) {
            out.println("ready in " + ManagementFactory.getRuntimeMXBean().getUptime() + " ms");
        }
        if (started) {
            awaitStop();
        }
        return stop(gateway) && started;
    }

    private void listening(RecallgateConfig config, int port, Consumer<String> onListening) {
        String host = config.http().host();
        out.println("listening on " + url(host, port));
        // A wildcard is where to listen, not where to connect.
        boolean anywhere = host.equals("0.0.0.0") || host.equals("::");
        onListening.accept(url(anywhere ? "127.0.0.1" : host, port));
    }

    private static String url(String host, int port) {
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /** Waits for a step of the start or for a stop, whichever comes first; says what went wrong in one line. */
    private boolean await(Future<?> step) throws InterruptedException {
        CompletableFuture<?> done = step.toCompletionStage().toCompletableFuture();
        try {
            CompletableFuture.anyOf(done, stopRequested).get();
            return true;
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            say(line(cause));
            return false;
        }
    }

    private static String line(Throwable cause) {
        if (cause instanceof ConfigException wrong) {
            return wrong.line();
        }
        FailureException failure = FailureException.of(cause);
        if (failure.code() == FailureCode.INTERNAL) {
            LOG.error("the gateway could not start", cause);
            return "the gateway could not start because of a defect; the log above has it: " + cause;
        }
        return failure.detail();
    }

    private void awaitStop() throws InterruptedException {
        try {
            stopRequested.get();
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private boolean stop(Recallgate gateway) throws InterruptedException {
        long boundMillis = stopBoundMillis.getAsLong();
        try {
            List<String> unconfirmed =
                    gateway.stop().toCompletionStage().toCompletableFuture().get(boundMillis, TimeUnit.MILLISECONDS);
            if (!unconfirmed.isEmpty()) {
                say("stopped, but the end of these was not seen: " + String.join(", ", unconfirmed));
            }
            return unconfirmed.isEmpty();
        } catch (TimeoutException stuck) {
            say("the stop did not end within " + boundMillis + " ms; ending anyway");
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private void close(Vertx vertx) {
        try {
            vertx.close().toCompletionStage().toCompletableFuture().get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException stuck) {
            // A worker that does not return holds it; the process ends without.
            LOG.warn("Vert.x did not close within {} ms: {}", CLOSE_MILLIS, stuck.toString());
        }
    }

    /** After what was logged before, which it may point to; without waiting for ever where nobody reads either. */
    private void say(String line) {
        ProcessSignals.tell(() -> {
            LogSetup.flush();
            err.println("recallgate: " + line.replace('\n', ' '));
        });
    }
}
