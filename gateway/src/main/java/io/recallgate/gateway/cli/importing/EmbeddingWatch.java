package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.time.Duration;

/** Waits until all of a project's memories are embedded, for as long as that makes progress. Used by one thread. */
public final class EmbeddingWatch {

    private static final long LOOK_EVERY_MILLIS = 200;

    private final GatewayClient client;
    private final Clock clock;
    private final Pauses pauses;

    /** @param client of the project to watch */
    public EmbeddingWatch(GatewayClient client, Clock clock, Pauses pauses) {
        this.client = client;
        this.clock = clock;
        this.pauses = pauses;
    }

    /**
     * Watches.
     *
     * @param bound the longest to wait in all
     * @param stall the longest to wait without any job ending
     * @return the last counts; {@code remaining} is zero when everything ended
     */
    public JobCounts await(Duration bound, Duration stall, Progress progress) {
        Deadline whole = Deadline.after(clock, bound);
        Deadline standing = Deadline.after(clock, stall);
        JobCounts counts = JobCounts.of(client);
        long most = counts.remaining();
        while (counts.remaining() > 0 && !whole.isPassed() && !standing.isPassed()) {
            most = Math.max(most, counts.remaining());
            progress.show(most - counts.remaining(), most, counts.remaining() + " left");
            pauses.pauseMillis(LOOK_EVERY_MILLIS);
            if (Thread.currentThread().isInterrupted()) {
                return counts;
            }
            JobCounts next = JobCounts.of(client);
            if (next.remaining() < counts.remaining()) {
                standing = Deadline.after(clock, stall);
            }
            counts = next;
        }
        if (most > 0) {
            progress.show(most - counts.remaining(), most, counts.remaining() + " left");
        }
        return counts;
    }
}
