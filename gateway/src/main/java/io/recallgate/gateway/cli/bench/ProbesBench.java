package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.bench.ProbePlan.Phase;
import io.recallgate.gateway.cli.bench.ProbeWatch.Attempt;
import io.recallgate.gateway.cli.bench.ProbeWatch.Producer;
import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How probes pace themselves before a provider whose cost changes, beside what the rules of pacing predict. Used by one
 * thread.
 */
public final class ProbesBench {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** So many cheap attempts in a row. */
    private static final int WARM_RUNS = 20;

    private static final int MAX_WARM_RUNS = 80;

    /** So many looks come in a cadence, so that no attempt is missed. */
    private static final int LOOKS = 8;

    private static final long MAX_LOOK_MILLIS = 200;
    private static final double NANOS_PER_MILLI = 1e6;

    private final BenchContext context;
    private final List<Double> phaseStarts = new ArrayList<>();
    private final List<Double> busy = new ArrayList<>();
    private final ProbeWatch watch = new ProbeWatch();

    /** @param context shows progress */
    public ProbesBench(BenchContext context) {
        this.context = context;
    }

    /**
     * What one probe did in one phase. Spans are milliseconds as they were measured, at the speed of the plan.
     *
     * @param phase of the plan
     * @param probe its name
     * @param attempts that began in it
     * @param perMinute on the full scale, over the whole phase
     * @param costMillis the middle one
     * @param idleMillis the shortest idle gap after an attempt of it; null if none was followed
     * @param floorMillis the longest that an idle gap was shorter than the pacing floor, 0 for never
     * @param lateMillis the middle of how much later than predicted the next attempts began; null if none did
     * @param share of the time that was charged, from the first attempt to the first of a later phase; null if there is none
     * @param skipped ticks that were left out, but for those in a back-off
     * @param states how many looks saw which
     * @param busy the provider's share of the phase
     */
    public record Row(
            Phase phase,
            String probe,
            int attempts,
            double perMinute,
            double costMillis,
            @Nullable Double idleMillis,
            double floorMillis,
            @Nullable Double lateMillis,
            @Nullable Double share,
            long skipped,
            Map<String, Integer> states,
            double busy) {
        /** Copies the map. */
        public Row {
            states = Map.copyOf(states);
        }
    }

    /**
     * Measures.
     *
     * @param directory for the gateway's data, empty
     * @return a row for each phase and probe
     * @throws CommandFailedException if the gateway does not come up
     */
    public List<Row> run(Path directory, ProbePlan plan) {
        try (CostlyProvider provider = CostlyProvider.start(context.clock())) {
            provider.costs(plan.scaled(plan.phases().get(0).costMillis()));
            Map<String, String> settings = new HashMap<>(provider.settings());
            settings.putAll(plan.settings());
            int port = ChildGateway.freePort();
            GatewayClient client = new GatewayClient(
                    GatewayAddress.of("http://127.0.0.1:" + port, null, null),
                    context.clock(),
                    context.pauses(),
                    PATIENCE);
            try (ChildGateway gateway = ChildGateway.startWith(
                            client,
                            context.clock(),
                            context.pauses(),
                            new ChildGateway.Launch(port, directory, settings, List.of()));
                    Progress progress = new Progress(context.screen(), context.clock(), "probes")) {
                progress.show("starting");
                gateway.awaitMillis("/health/ready");
                warm(client, plan, progress);
                for (int i = 0; i < plan.phases().size(); i++) {
                    phase(client, provider, plan, i, progress);
                }
                gateway.stopMillis();
            }
            return rows(plan);
        }
    }

    /** The first attempts of a process are dear: runs both by hand until they are cheap, or will not become so. */
    private void warm(GatewayClient client, ProbePlan plan, Progress progress) {
        double cheap = plan.scaled(ProbePlan.CADENCE_MILLIS) * ProbePlan.DUTY;
        for (String probe : List.of("embedding-write", "knowledge")) {
            int fine = 0;
            for (int run = 0; run < MAX_WARM_RUNS && fine < WARM_RUNS; run++) {
                progress.show("warming " + probe);
                JsonObject result = client.post("/v1/probes/" + probe + "/run", new JsonObject())
                        .jsonOrFail();
                fine = result.getDouble("charged_ms") <= cheap ? fine + 1 : 0;
            }
        }
        context.pauses().pauseMillis(2 * plan.scaled(ProbePlan.CADENCE_MILLIS));
    }

    private void phase(GatewayClient client, CostlyProvider provider, ProbePlan plan, int index, Progress progress) {
        Phase phase = plan.phases().get(index);
        if (phase.refuses()) {
            provider.refuse();
        } else {
            provider.costs(plan.scaled(phase.costMillis()));
        }
        double began = now();
        phaseStarts.add(began);
        long busyBefore = provider.busyNanos();
        long lasts = plan.scaled(phase.millis());
        long every = Math.min(MAX_LOOK_MILLIS, Math.max(5, plan.scaled(ProbePlan.CADENCE_MILLIS) / LOOKS));
        while (now() - began < lasts) {
            progress.show("provider " + phase.name() + ", " + Math.round((now() - began) / 1_000) + " of "
                    + lasts / 1_000 + " s");
            Answer answer = client.get("/v1/probes");
            watch.look(answer.jsonOrFail(), index, this::phaseAt, now());
            context.pauses().pauseMillis(every);
            if (Thread.currentThread().isInterrupted()) {
                throw new CommandFailedException("interrupted");
            }
        }
        busy.add((provider.busyNanos() - busyBefore) / NANOS_PER_MILLI / (now() - began));
    }

    private double now() {
        return context.clock().nanoTime() / NANOS_PER_MILLI;
    }

    private int phaseAt(double millis) {
        int phase = 0;
        while (phase + 1 < phaseStarts.size() && phaseStarts.get(phase + 1) <= millis) {
            phase++;
        }
        return phase;
    }

    private List<Row> rows(ProbePlan plan) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < plan.phases().size(); i++) {
            int index = i;
            watch.producers().forEach((name, producer) -> rows.add(row(plan, index, name, producer)));
        }
        return rows;
    }

    private Row row(ProbePlan plan, int index, String name, Producer producer) {
        Phase phase = plan.phases().get(index);
        List<Double> costs = new ArrayList<>();
        List<Double> late = new ArrayList<>();
        Double idle = null;
        double below = 0;
        double charged = 0;
        double elapsed = 0;
        for (int i = 0; i < producer.attempts.size(); i++) {
            Attempt attempt = producer.attempts.get(i);
            if (attempt.phase() != index) {
                continue;
            }
            costs.add(attempt.chargedMillis());
            if (i + 1 == producer.attempts.size() || !attempt.isFollowedBy(producer.attempts.get(i + 1))) {
                continue;
            }
            double gap = producer.attempts.get(i + 1).idleMillis();
            idle = idle == null ? gap : Math.min(idle, gap);
            below = Math.max(below, attempt.chargedMillis() * (1 - ProbePlan.DUTY) / ProbePlan.DUTY - gap);
            late.add(gap - predictedIdle(plan, attempt));
            charged += attempt.chargedMillis();
            elapsed += attempt.spanMillis() + gap;
        }
        long before = index == 0 ? 0 : producer.skipped.getOrDefault(index - 1, 0L);
        return new Row(
                phase,
                name,
                costs.size(),
                costs.size() * 60_000.0 / phase.millis(),
                median(costs),
                idle,
                below,
                late.isEmpty() ? null : median(late),
                elapsed > 0 ? charged / elapsed : null,
                producer.skipped.getOrDefault(index, before) - before,
                producer.states.getOrDefault(index, new TreeMap<>()),
                busy.get(index));
    }

    /** D1 to D8: the latest of cadence, floor and back-off. */
    private static double predictedIdle(ProbePlan plan, Attempt attempt) {
        double cadence = plan.scaled(ProbePlan.CADENCE_MILLIS) - attempt.spanMillis();
        double floor = attempt.chargedMillis() / ProbePlan.DUTY - attempt.spanMillis();
        return Math.max(plan.backoffMillis(attempt.failures()), Math.max(cadence, floor));
    }

    private static double median(List<Double> values) {
        return values.isEmpty() ? 0 : values.stream().sorted().toList().get(values.size() / 2);
    }
}
