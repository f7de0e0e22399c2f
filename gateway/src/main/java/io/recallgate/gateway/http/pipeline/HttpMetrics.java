package io.recallgate.gateway.http.pipeline;

import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.gateway.metrics.GatewayMetric;
import io.recallgate.metrics.Meters;
import java.time.Duration;
import java.util.function.Supplier;

/** Meters of the HTTP side. */
final class HttpMetrics {

    /** Status of a request whose client left before the answer; in metrics only. */
    static final int CLIENT_GONE = 499;

    private final Meters meters;
    private final Supplier<Number> inFlight;
    private final Supplier<Number> bufferedBytes;

    HttpMetrics(MeterRegistry registry, Supplier<Number> inFlight, Supplier<Number> bufferedBytes) {
        this.meters = new Meters(registry);
        this.inFlight = inFlight;
        this.bufferedBytes = bufferedBytes;
        GatewayMetric.HTTP_REQUESTS_IN_FLIGHT.gauge(
                registry, this, metrics -> metrics.inFlight.get().doubleValue());
        GatewayMetric.HTTP_BUFFERED_BYTES.gauge(
                registry, this, metrics -> metrics.bufferedBytes.get().doubleValue());
    }

    void answered(Endpoint endpoint, int status, long spanNanos) {
        String method = endpoint.method().name();
        meters.timer(GatewayMetric.HTTP_REQUEST_DURATION, method, endpoint.path(), status / 100 + "xx")
                .record(Duration.ofNanos(Math.max(0, spanNanos)));
        meters.counter(GatewayMetric.HTTP_RESPONSES, method, endpoint.path(), Integer.toString(status))
                .increment();
    }

    void failed(Endpoint endpoint, FailureCode code) {
        meters.counter(GatewayMetric.HTTP_FAILURES, endpoint.path(), code.code())
                .increment();
    }
}
