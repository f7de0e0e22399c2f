package io.recallgate.gateway.http.pipeline;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.gateway.metrics.GatewayMetric;
import java.time.Duration;
import java.util.function.Supplier;

/** Meters of the HTTP side. */
final class HttpMetrics {

    /** Status of a request whose client left before the answer; in metrics only. */
    static final int CLIENT_GONE = 499;

    private final MeterRegistry registry;
    private final Supplier<Number> inFlight;
    private final Supplier<Number> bufferedBytes;

    HttpMetrics(MeterRegistry registry, Supplier<Number> inFlight, Supplier<Number> bufferedBytes) {
        this.registry = registry;
        this.inFlight = inFlight;
        this.bufferedBytes = bufferedBytes;
        GatewayMetric.HTTP_REQUESTS_IN_FLIGHT.gauge(
                registry, this, metrics -> metrics.inFlight.get().doubleValue());
        GatewayMetric.HTTP_BUFFERED_BYTES.gauge(
                registry, this, metrics -> metrics.bufferedBytes.get().doubleValue());
    }

    void answered(Endpoint endpoint, int status, long spanNanos) {
        String method = endpoint.method().name();
        GatewayMetric.HTTP_REQUEST_DURATION
                .timer(registry, method, endpoint.path(), status / 100 + "xx")
                .record(Duration.ofNanos(Math.max(0, spanNanos)));
        GatewayMetric.HTTP_RESPONSES
                .counter(registry, method, endpoint.path(), Integer.toString(status))
                .increment();
    }

    void failed(Endpoint endpoint, FailureCode code) {
        GatewayMetric.HTTP_FAILURES
                .counter(registry, endpoint.path(), code.code())
                .increment();
    }
}
