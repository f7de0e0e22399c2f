package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.console.Counted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How a wait for embeddings ended.
 *
 * @param jobs the last counts
 * @param end why it ended
 * @param waited the bound that was reached, zero if none was
 */
public record Watched(JobCounts jobs, End end, Duration waited) {

    /** Why a wait ended. */
    public enum End {
        /** Every job has ended, well or not. */
        ENDED,
        /** The gateway has no embedding provider: no job will ever end. */
        NO_PROVIDER,
        /** No job ended for as long as was agreed. */
        STALLED,
        /** There was progress, but not enough in the whole time. */
        TOO_LONG,
        /** The waiting thread was interrupted. */
        INTERRUPTED
    }

    /** Whether every memory has its vector. */
    public boolean complete() {
        return end == End.ENDED && jobs.remaining() == 0 && jobs.failed() == 0;
    }

    /** What is missing and why, in a sentence without a full stop; to be asked only if not {@link #complete}. */
    public String explain() {
        List<String> parts = new ArrayList<>();
        switch (end) {
            case ENDED -> {}
            case NO_PROVIDER ->
                parts.add("this gateway has no embedding provider (RECALLGATE_EMBEDDING_PROVIDER is none), so recall is"
                        + " lexical, by words only");
            case STALLED -> parts.add("no memory was embedded for " + seconds() + ", " + toGo());
            case TOO_LONG -> parts.add("not all was embedded within " + seconds() + ", " + toGo());
            case INTERRUPTED -> parts.add("interrupted, " + toGo());
        }
        if (jobs.failed() > 0) {
            parts.add(Counted.memories(jobs.failed()) + " failed to be embedded");
        }
        boolean look = end == End.STALLED || jobs.failed() > 0;
        return String.join(", ", parts) + (look ? ": see './recallgate status'" : "");
    }

    private String toGo() {
        return Counted.memories(jobs.remaining()) + " to go";
    }

    private String seconds() {
        return waited.toSeconds() + " s";
    }
}
