package io.recallgate.gateway.http.transfer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.gateway.metrics.GatewayMetric;
import java.util.function.IntSupplier;

/** Meters of imports and exports. Thread-safe. */
final class TransferMetrics {

    private final IntSupplier imports;
    private final IntSupplier exports;
    private final Counter stored;
    private final Counter updated;
    private final Counter unchanged;
    private final Counter rejected;
    private final Counter exported;

    /**
     * @param imports that run now
     * @param exports that run now
     */
    TransferMetrics(MeterRegistry registry, IntSupplier imports, IntSupplier exports) {
        this.imports = imports;
        this.exports = exports;
        GatewayMetric.TRANSFERS_RUNNING.gauge(registry, this, all -> all.imports.getAsInt(), "import");
        GatewayMetric.TRANSFERS_RUNNING.gauge(registry, this, all -> all.exports.getAsInt(), "export");
        stored = GatewayMetric.IMPORT_MEMORIES.counter(registry, "stored");
        updated = GatewayMetric.IMPORT_MEMORIES.counter(registry, "updated");
        unchanged = GatewayMetric.IMPORT_MEMORIES.counter(registry, "unchanged");
        rejected = GatewayMetric.IMPORT_MEMORIES.counter(registry, "rejected");
        exported = GatewayMetric.EXPORT_MEMORIES.counter(registry);
    }

    void stored() {
        stored.increment();
    }

    void updated() {
        updated.increment();
    }

    void unchanged() {
        unchanged.increment();
    }

    void rejected() {
        rejected.increment();
    }

    void exported(int memories) {
        exported.increment(memories);
    }
}
