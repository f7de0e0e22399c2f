package io.recallgate.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.pool.Dispatcher;
import io.recallgate.embedding.pool.PoolLimits;
import io.recallgate.embedding.pool.PoolSnapshot;
import io.recallgate.time.FakeClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PoolMetricsTest {

    private final FakeClock clock = new FakeClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final PoolMetrics metrics = new PoolMetrics(registry, 1, clock);

    @Test
    void everyCountOfTheViewIsACounterOfItsOwn() {
        PoolSnapshot fresh = new Dispatcher("m", PoolLimits.defaults(1), clock.nanoTime()).snapshot(clock.nanoTime());
        List<Long> given = new ArrayList<>();
        PoolSnapshot counted = new PoolSnapshot(
                fresh.takenNanos(),
                fresh.model(),
                fresh.identity(),
                fresh.slots(),
                fresh.queries(),
                fresh.documents(),
                fresh.operations(),
                fresh.operationBytes(),
                fresh.waiters(),
                fresh.retained(),
                fresh.quarantined(),
                fresh.gate(),
                fresh.rate(),
                numbered(fresh.counters(), given),
                numbered(fresh.dropped(), given),
                fresh.closed(),
                fresh.replacement(),
                fresh.startTrouble());

        metrics.show(counted);

        List<Long> shown = registry.getMeters().stream()
                .filter(FunctionCounter.class::isInstance)
                .map(meter -> (long) ((FunctionCounter) meter).count())
                .toList();
        assertThat(shown).containsExactlyInAnyOrderElementsOf(given);
    }

    /** The same names with a number each that no other name has. */
    private static Map<String, Long> numbered(Map<String, Long> counts, List<Long> given) {
        Map<String, Long> numbers = new HashMap<>();
        for (String name : counts.keySet()) {
            long number = given.size() + 1L;
            given.add(number);
            numbers.put(name, number);
        }
        return numbers;
    }
}
