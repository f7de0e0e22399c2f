package io.recallgate.gateway.config;

import io.recallgate.gateway.config.SettingTable.Entry;
import io.recallgate.gateway.config.SettingType.Whole;
import java.util.Set;

/** The settings of the local pool: their lines in the table of {@link Setting}. */
final class PoolSettings {

    static final Entry INITIALISATION_WATCHDOG_MS = new Entry(
            "RECALLGATE_INITIALISATION_WATCHDOG_MS",
            "embedding.initialisation-watchdog-ms",
            new Whole(100, 3_600_000),
            "600000",
            "ms",
            "A worker that has not loaded its model by then counts as stuck. Loading cannot be interrupted.",
            Set.of());
    static final Entry DISPATCH_WATCHDOG_MS = new Entry(
            "RECALLGATE_DISPATCH_WATCHDOG_MS",
            "embedding.dispatch-watchdog-ms",
            new Whole(10, 600_000),
            "10000",
            "ms",
            "Work sent to a worker that has not started by then is taken back once.",
            Set.of());
    static final Entry EXECUTION_WATCHDOG_MS = new Entry(
            "RECALLGATE_EXECUTION_WATCHDOG_MS",
            "embedding.execution-watchdog-ms",
            new Whole(10, 3_600_000),
            "300000",
            "ms",
            "A run that takes longer is terminated natively and its worker replaced.",
            Set.of());
    static final Entry TERMINATION_GRACE_MS = new Entry(
            "RECALLGATE_TERMINATION_GRACE_MS",
            "embedding.termination-grace-ms",
            new Whole(10, 60_000),
            "1000",
            "ms",
            "How long a terminated run may take to return before its worker is retired.",
            Set.of());
    static final Entry START_TRIES = new Entry(
            "RECALLGATE_START_TRIES",
            "embedding.start-tries",
            new Whole(1, 10),
            "3",
            "tries",
            "Failed starts of a worker in a row before only a slow self-healing probe tries again.",
            Set.of());
    static final Entry START_BACKOFF_MS = new Entry(
            "RECALLGATE_START_BACKOFF_MS",
            "embedding.start-backoff-ms",
            new Whole(10, 600_000),
            "2000",
            "ms",
            "Wait after a worker's first failed start; each further wait is four times as long.",
            Set.of());
    static final Entry SLICE_ROWS = new Entry(
            "RECALLGATE_SLICE_ROWS",
            "embedding.slice-rows",
            new Whole(1, 256),
            "8",
            "rows",
            "Most rows of a slice, the longest a query waits behind a document.",
            Set.of());
    static final Entry SLICE_TOKENS = new Entry(
            "RECALLGATE_SLICE_TOKENS",
            "embedding.slice-tokens",
            new Whole(16, 1_048_576),
            "4096",
            "tokens",
            "Most padded tokens of a slice; with the rows it bounds native memory.",
            Set.of());
    static final Entry DOCUMENT_FAIRNESS = new Entry(
            "RECALLGATE_DOCUMENT_FAIRNESS",
            "embedding.document-fairness",
            new Whole(1, 1_000),
            "8",
            "slices",
            "After so many query slices one document slice runs, so that documents always progress.",
            Set.of());
    static final Entry QUEUE_OPERATIONS = new Entry(
            "RECALLGATE_QUEUE_OPERATIONS",
            "embedding.queue-operations",
            new Whole(32, 65_536),
            "256",
            "operations",
            "Waiting and running operations; the next is refused with 429. A sixteenth is for queries only.",
            Set.of());
    static final Entry QUEUE_BYTES = new Entry(
            "RECALLGATE_QUEUE_BYTES",
            "embedding.queue-bytes",
            new Whole(1L << 20, 1L << 30),
            "8388608",
            "bytes",
            "Bytes of waiting and running operations; the next is refused with 429. An eighth is for queries only.",
            Set.of());

    private PoolSettings() {}
}
