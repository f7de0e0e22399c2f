package io.recallgate.gateway.http.pipeline;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.recallgate.failure.FailureCode;
import java.time.Duration;
import java.util.function.Supplier;

/** Meters of the HTTP side. Labels are route templates, methods, statuses and failure codes: never a path or an id. */
final class HttpMetrics {

    /** Status of a request whose client left before the answer; in metrics only. */
    static final int CLIENT_GONE = 499;

    /** The buckets of OpenTelemetry's http.server.request.duration, and 10 ms steps below for recall. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(15),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(75),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofMillis(750),
        Duration.ofSeconds(1),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(5),
        Duration.ofMillis(7_500),
        Duration.ofSeconds(10)
    };

    private final MeterRegistry registry;

    HttpMetrics(MeterRegistry registry, Supplier<Number> inFlight, Supplier<Number> bufferedBytes) {
        this.registry = registry;
        Gauge.builder("recallgate.http.requests.in.flight", inFlight)
                .description("requests being served")
                .register(registry);
        Gauge.builder("recallgate.http.buffered.bytes", bufferedBytes)
                .baseUnit("bytes")
                .description("request bodies held in memory")
                .register(registry);
    }

    void answered(Endpoint endpoint, int status, long spanNanos) {
        Timer.builder("recallgate.http.request.duration")
                .description("from the request's head to the end of the answer")
                .tag("route", endpoint.path())
                .tag("method", endpoint.method().name())
                .tag("status", Integer.toString(status))
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(Duration.ofNanos(Math.max(0, spanNanos)));
    }

    void failed(Endpoint endpoint, FailureCode code) {
        Counter.builder("recallgate.http.failures")
                .description("answers that were failures, by code")
                .tag("route", endpoint.path())
                .tag("code", code.code())
                .register(registry)
                .increment();
    }
}
