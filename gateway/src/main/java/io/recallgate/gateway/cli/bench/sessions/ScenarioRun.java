package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.bench.sessions.SessionsBench.Plan;
import io.recallgate.gateway.cli.bench.sessions.TurnSample.Kind;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.measure.LoopLag;
import io.recallgate.gateway.cli.measure.PrometheusText;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** One scenario from the start of its gateway to its end. Used by one thread. */
final class ScenarioRun {

    private static final long LOOK_EVERY_MILLIS = 100;
    private static final long SETTLE_MILLIS = 1_000;
    private static final long DATABASE_DELAY_MILLIS = 400;

    private final BenchContext context;
    private final Plan plan;
    private final Scenario scenario;
    private final ScenarioParts parts;
    private final Violations violations;
    private final Samples samples = new Samples();

    ScenarioRun(BenchContext context, Plan plan, Scenario scenario, ScenarioParts parts, Violations violations) {
        this.context = context;
        this.plan = plan;
        this.scenario = scenario;
        this.parts = parts;
        this.violations = violations;
    }

    ScenarioResult run() {
        List<SessionRun> sessions = sessions();
        SessionGateway gateway = parts.start(scenario);
        try {
            parts.fill(gateway, scenario);
            begin(sessions, gateway);
            PrometheusText before = gateway.metrics();
            Trouble trouble = trouble(gateway);
            Peaks peaks;
            try (GatewayWatch watch = new GatewayWatch(gateway.child(), gateway.once(), context.pauses())) {
                gateway = measure(sessions, gateway);
                peaks = watch.peaks();
            } finally {
                trouble.close();
            }
            ScenarioResult.State state = state(gateway, before, peaks);
            finish(sessions, gateway);
            gateway.stop();
            return new ScenarioResult(scenario, samples, counts(sessions), state);
        } finally {
            gateway.close();
        }
    }

    private List<SessionRun> sessions() {
        List<SessionRun> sessions = new ArrayList<>();
        int count = scenario == Scenario.CONCURRENT
                ? plan.sessions()
                : plan.lengths().size();
        TurnClient client = new TurnClient(context.clock());
        try (Progress progress =
                new Progress(context.screen(), context.clock(), scenario.label() + ", writing sessions")) {
            for (int i = 0; i < count; i++) {
                progress.show(i, count, "sessions");
                ClientProtocol protocol = i % 2 == 0 ? ClientProtocol.OPENAI : ClientProtocol.ANTHROPIC;
                AgentSession session = new AgentSession("bench-" + scenario.label() + "-" + i, protocol, plan.seed());
                int length = plan.lengths().get(i % plan.lengths().size());
                session.growTo(length);
                sessions.add(new SessionRun(context, client, parts.provider(), violations, session, length));
            }
        }
        return sessions;
    }

    /** The first request of each session, and some more that are not measured. */
    private void begin(List<SessionRun> sessions, SessionGateway gateway) {
        try (Progress progress = new Progress(context.screen(), context.clock(), scenario.label() + ", warming")) {
            sessions.forEach(session -> samples.add(session.begin(gateway.url())));
            int warm = scenario == Scenario.CONCURRENT ? Math.min(1, plan.warm()) : plan.warm();
            for (int i = 0; i < warm; i++) {
                progress.show(i, warm, "rounds");
                sessions.forEach(session -> session.step(gateway.url(), Kind.WARM));
            }
        }
        parts.settle(gateway, scenario);
    }

    private Trouble trouble(SessionGateway gateway) {
        return switch (scenario) {
            case BACKLOG -> parts.backlog(gateway);
            case READ_WORKERS_HUNG -> gateway.stopThreads("recallgate-read-")::close;
            case DATABASE_SLOW -> parts.slowDatabase(DATABASE_DELAY_MILLIS);
            case EMBEDDINGS_DOWN, EMBEDDINGS_HUNG, EMBEDDINGS_SLOW -> parts.embeddingTrouble(scenario);
            default -> Trouble.NONE;
        };
    }

    /** @return the gateway that is there at the end */
    private SessionGateway measure(List<SessionRun> sessions, SessionGateway gateway) {
        try (Progress progress = new Progress(context.screen(), context.clock(), scenario.label() + ", measuring")) {
            if (scenario == Scenario.CONCURRENT) {
                atOnce(sessions, gateway, progress);
                return gateway;
            }
            SessionGateway now = gateway;
            int each = Math.max(1, plan.turns() / (1 + plan.restarts()));
            for (int i = 0; i < plan.turns(); i++) {
                boolean fresh = scenario == Scenario.RESTART && i % each == each - 1;
                if (fresh) {
                    now.kill();
                    sessions.forEach(session -> session.check().killed());
                    now = parts.start(scenario);
                }
                Kind kind = fresh ? Kind.FRESH : Kind.WARM;
                for (SessionRun session : sessions) {
                    samples.add(
                            scenario == Scenario.CANCELLATIONS && i % 2 == 0
                                    ? session.stepGivenUpOnce(now.url(), kind)
                                    : session.step(now.url(), kind));
                    interruptible();
                }
                progress.show(i + 1, plan.turns(), "rounds");
            }
            return now;
        }
    }

    private static void interruptible() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CommandFailedException("interrupted while measuring");
        }
    }

    private void atOnce(List<SessionRun> sessions, SessionGateway gateway, Progress progress) {
        ExecutorService threads = Executors.newFixedThreadPool(sessions.size());
        AtomicInteger done = new AtomicInteger();
        int each = Math.max(1, plan.turns() * plan.lengths().size() / sessions.size());
        try {
            List<Future<?>> running = new ArrayList<>();
            for (SessionRun session : sessions) {
                running.add(threads.submit(() -> {
                    for (int i = 0; i < each; i++) {
                        samples.add(session.step(gateway.url(), Kind.WARM));
                        done.incrementAndGet();
                    }
                }));
            }
            for (Future<?> one : running) {
                while (!one.isDone()) {
                    progress.show(done.get(), (long) each * sessions.size(), "requests");
                    context.pauses().pauseMillis(LOOK_EVERY_MILLIS);
                    interruptible();
                }
                one.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CommandFailedException told
                    ? told
                    : new CommandFailedException("a client failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while measuring", e);
        } finally {
            threads.shutdownNow();
        }
    }

    private void finish(List<SessionRun> sessions, SessionGateway gateway) {
        // The last commits are on their way.
        context.pauses().pauseMillis(SETTLE_MILLIS);
        sessions.forEach(session -> session.checkRemembered(gateway.patient()));
        if (!scenario.mayRefuse()) {
            int refused = sessions.stream().mapToInt(SessionRun::refused).sum();
            if (refused > 0) {
                violations.add(scenario.label(), refused + " requests were refused, and none may be");
            }
        }
    }

    private static ScenarioResult.Counts counts(List<SessionRun> sessions) {
        return new ScenarioResult.Counts(
                sessions.stream().mapToInt(SessionRun::refused).sum(),
                sessions.stream().mapToInt(SessionRun::givenUp).sum(),
                sessions.stream().mapToInt(session -> session.check().moves()).sum(),
                sessions.stream().mapToInt(session -> session.check().lost()).sum());
    }

    private ScenarioResult.State state(SessionGateway gateway, PrometheusText before, Peaks peaks) {
        // One that was started meanwhile counts anew.
        OptionalDouble lag = scenario == Scenario.RESTART
                ? OptionalDouble.empty()
                : LoopLag.percentileMillis(before, gateway.metrics(), 99);
        return new ScenarioResult.State(lag.isPresent() ? lag.getAsDouble() : null, peaks, jobs(gateway));
    }

    private static long jobs(SessionGateway gateway) {
        JsonObject counts = gateway.patient().get("/v1/jobs").jsonOrFail().getJsonObject("counts");
        return counts.getLong("available", 0L) + counts.getLong("running", 0L) + counts.getLong("retryable", 0L);
    }
}
