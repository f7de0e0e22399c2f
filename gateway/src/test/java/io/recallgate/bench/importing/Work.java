package io.recallgate.bench.importing;

import io.recallgate.time.SystemClock;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Texts that were worked on. Cores shared with strangers change the seconds, and hardly the CPU time.
 *
 * @param texts how many
 * @param seconds from begin to end
 * @param cpuMillis of this process and its children, the database's own short-lived workers excepted
 */
record Work(int texts, double seconds, long cpuMillis) {

    /** When it began. */
    record Start(long nanos, long cpuMillis) {
        Work end(int texts) {
            double seconds = (SystemClock.INSTANCE.nanoTime() - nanos) / (double) TimeUnit.SECONDS.toNanos(1);
            return new Work(texts, seconds, cpuMillisNow() - cpuMillis);
        }
    }

    static Start begin() {
        return new Start(SystemClock.INSTANCE.nanoTime(), cpuMillisNow());
    }

    /** Both, one after the other. */
    Work and(Work other) {
        return new Work(texts + other.texts, seconds + other.seconds, cpuMillis + other.cpuMillis);
    }

    double perSecond() {
        return texts / seconds;
    }

    double cpuMillisPerText() {
        return (double) cpuMillis / texts;
    }

    JsonObject toJson() {
        return new JsonObject()
                .put("texts", texts)
                .put("seconds", Math.round(seconds * 10) / 10.0)
                .put("per_second", Math.round(perSecond() * 10) / 10.0)
                .put("cpu_ms_per_text", Math.round(cpuMillisPerText() * 100) / 100.0);
    }

    private static long cpuMillisNow() {
        ProcessHandle own = ProcessHandle.current();
        return Stream.concat(Stream.of(own), own.descendants())
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .mapToLong(Duration::toMillis)
                .sum();
    }
}
