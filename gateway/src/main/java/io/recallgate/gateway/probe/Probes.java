package io.recallgate.gateway.probe;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.gateway.probe.ProbeView.Settled;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The probes of a gateway. Started and stopped with it; reading them starts nothing. Any thread. */
public final class Probes implements ProbeOperations {

    /** Not while a start warms up; a shorter cadence comes first. */
    private static final long FIRST_MILLIS = 5_000;

    private final Map<ProbeName, ProbeDriver> drivers = new EnumMap<>(ProbeName.class);

    /**
     * What they take from outside.
     *
     * @param clock measures
     * @param timers that belong to it
     * @param options how they are paced, read on each use
     * @param key what there is to probe, read on each use
     * @param meters shows what they do
     */
    public record Parts(
            Clock clock, Timers timers, Supplier<ProbeOptions> options, Supplier<ProbeKey> key, MeterRegistry meters) {}

    /**
     * Probes that wait for {@link #start}.
     *
     * @param context of all they do
     */
    public Probes(List<Probe> probes, Context context, Parts parts) {
        ProbeMetrics metrics = new ProbeMetrics(parts.meters());
        ProbeOptions now = parts.options().get();
        long first = now.isEnabled() ? Math.min(FIRST_MILLIS, now.cadenceMillis()) : FIRST_MILLIS;
        for (Probe probe : probes) {
            ProbeDriver driver = new ProbeDriver(
                    probe,
                    context,
                    new ProbeDriver.Time(parts.clock(), parts.timers(), TimeUnit.MILLISECONDS.toNanos(first)),
                    new ProbeDriver.Source(parts.options(), parts.key()),
                    metrics);
            drivers.put(probe.name(), driver);
            metrics.show(probe.name(), driver);
        }
    }

    /** Begins the schedules. */
    public void start() {
        drivers.values().forEach(ProbeDriver::start);
    }

    /** Ends them and what is on its way; completes when that has settled. */
    public Future<Void> stop() {
        return Future.all(drivers.values().stream().map(ProbeDriver::stop).toList())
                .mapEmpty();
    }

    @Override
    public List<ProbeReport> reports() {
        return drivers.values().stream().map(ProbeDriver::report).toList();
    }

    @Override
    public Optional<Future<Settled>> run(ProbeName name, Deadline deadline) {
        return Optional.ofNullable(drivers.get(name)).map(driver -> driver.run(deadline));
    }
}
