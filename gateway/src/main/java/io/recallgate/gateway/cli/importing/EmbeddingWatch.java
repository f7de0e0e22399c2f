package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
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
     * Whether the gateway says that nobody embeds anything there. A provider that is starting or in trouble is one: its
     * jobs may go on.
     */
    public static boolean hasNoProvider(GatewayClient client) {
        Answer health = client.tryGet("/health");
        if (health == null) {
            return false;
        }
        try {
            return new JsonObject(health.text()).getValue("embedding") instanceof JsonObject embedding
                    && "none".equals(embedding.getValue("provider"));
        } catch (DecodeException e) {
            // Something in between answers; the jobs tell whether there is progress.
            return false;
        }
    }

    /**
     * Watches. Does not wait at all where nobody embeds.
     *
     * @param bound the longest to wait in all
     * @param stall the longest to wait without any job ending
     */
    public Watched await(Duration bound, Duration stall, Progress progress) {
        Deadline whole = Deadline.after(clock, bound);
        Deadline standing = Deadline.after(clock, stall);
        JobCounts counts = JobCounts.of(client);
        if (hasNoProvider(client)) {
            return new Watched(counts, Watched.End.NO_PROVIDER, Duration.ZERO);
        }
        long most = counts.remaining();
        while (counts.remaining() > 0) {
            if (whole.isPassed()) {
                return new Watched(counts, Watched.End.TOO_LONG, bound);
            }
            if (standing.isPassed()) {
                return new Watched(counts, Watched.End.STALLED, stall);
            }
            most = Math.max(most, counts.remaining());
            progress.show(most - counts.remaining(), most, counts.remaining() + " left");
            pauses.pauseMillis(LOOK_EVERY_MILLIS);
            if (Thread.currentThread().isInterrupted()) {
                return new Watched(counts, Watched.End.INTERRUPTED, Duration.ZERO);
            }
            JobCounts next = JobCounts.of(client);
            if (next.remaining() < counts.remaining()) {
                standing = Deadline.after(clock, stall);
            }
            counts = next;
        }
        if (most > 0) {
            progress.show(most, most, "0 left");
        }
        return new Watched(counts, Watched.End.ENDED, Duration.ZERO);
    }
}
