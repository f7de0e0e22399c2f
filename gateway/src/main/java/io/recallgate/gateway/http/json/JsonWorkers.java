package io.recallgate.gateway.http.json;

import io.recallgate.recall.read.Lane;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.read.SureReads;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import java.util.concurrent.Callable;

/** Where JSON is read and written: small bodies on the calling event loop, large ones on the read workers. Thread-safe. */
public final class JsonWorkers {

    /** From this size on JSON leaves the event loop (ARCHITECTURE §6.7): 256 KiB take about 2 ms. */
    public static final long LARGE_BYTES = 256 * 1024;

    private final ReadWorkers readers;
    private final SureReads sure;

    /**
     * @param readers what reads on them, too, waits in the same queue
     * @param timers that belong to their clock
     */
    public JsonWorkers(ReadWorkers readers, Timers timers) {
        this.readers = readers;
        this.sure = new SureReads(readers, timers);
    }

    /**
     * Runs {@code work} here if it is small, on a read worker if it is large.
     *
     * @param lane who waits for it
     * @param estimatedBytes of JSON that the work reads or writes
     * @param deadline when nobody waits for it any more; small work is done whatever it is
     * @return fails as the work does, or as {@link ReadWorkers#run} does
     */
    public <T> Future<T> run(Lane lane, long estimatedBytes, Deadline deadline, Callable<T> work) {
        return run(estimatedBytes, ReadWorkers.Ask.until(deadline).in(lane, estimatedBytes), work);
    }

    /**
     * The same for work on bytes that are in memory already and are counted there: a conversation is larger than what may
     * wait here, and must not be refused because another one waits.
     */
    public <T> Future<T> runOnHeld(long heldBytes, Deadline deadline, Callable<T> work) {
        return run(heldBytes, ReadWorkers.Ask.until(deadline), work);
    }

    /**
     * The same for what a request cannot go on without, also while all read workers are stuck.
     *
     * @param work may be done by two threads at once, and must not mind
     */
    public <T> Future<T> runSurely(long heldBytes, Deadline deadline, Callable<T> work) {
        return heldBytes < LARGE_BYTES
                ? runOnHeld(heldBytes, deadline, work)
                : sure.run(ReadWorkers.Ask.until(deadline), work);
    }

    private <T> Future<T> run(long estimatedBytes, ReadWorkers.Ask ask, Callable<T> work) {
        if (estimatedBytes < LARGE_BYTES) {
            try {
                return Future.succeededFuture(work.call());
            } catch (Exception | Error e) {
                return Future.failedFuture(e);
            }
        }
        return readers.run(ask, work);
    }
}
