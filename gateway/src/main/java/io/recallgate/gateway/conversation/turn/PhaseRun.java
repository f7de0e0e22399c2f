package io.recallgate.gateway.conversation.turn;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Where one turn is. Phases are entered in their order and never twice; one that has nothing to do is passed over. Owned by
 * the request's event loop.
 */
public final class PhaseRun {

    private final Clock clock;
    private final Deadline lifetime;
    private final EnumMap<Phase, Long> spans = new EnumMap<>(Phase.class);
    private Phase current = Phase.ADMIT;
    private long since;

    /**
     * Begins with {@link Phase#ADMIT}.
     *
     * @param lifetime of the request; no phase begins after it
     */
    public PhaseRun(Clock clock, Deadline lifetime) {
        this.clock = clock;
        this.lifetime = lifetime;
        this.since = clock.nanoTime();
    }

    /**
     * Ends the phase it is in and begins {@code next}.
     *
     * @throws FailureException {@code deadline-exceeded}, when the request's lifetime is over
     * @throws IllegalStateException for a phase that is not a later one
     */
    public void enter(Phase next) {
        if (next.compareTo(current) <= 0) {
            throw new IllegalStateException(current + " is not followed by " + next);
        }
        close();
        current = next;
        if (lifetime.isPassed()) {
            throw new FailureException(
                    FailureCode.DEADLINE_EXCEEDED, "the request's deadline passed before " + next.label());
        }
    }

    /** The phase it is in. */
    public Phase current() {
        return current;
    }

    /** Ends the last phase. Nothing is entered after this. */
    public void finish() {
        close();
    }

    private void close() {
        long now = clock.nanoTime();
        spans.merge(current, now - since, Long::sum);
        since = now;
    }

    /** Nanoseconds of each phase that has ended. */
    public Map<Phase, Long> spans() {
        return Collections.unmodifiableMap(spans);
    }

    /** Nanoseconds of a phase, 0 for one that was passed over or has not ended. */
    public long nanos(Phase phase) {
        return spans.getOrDefault(phase, 0L);
    }

    /** Nanoseconds that the ended preparation phases took together. */
    public long preparationNanos() {
        long sum = 0;
        for (Map.Entry<Phase, Long> span : spans.entrySet()) {
            sum += span.getKey().isPreparation() ? span.getValue() : 0;
        }
        return sum;
    }

    /** Milliseconds that the ended preparation phases took together, with one decimal: {@code 12.3}. */
    public String preparationMillis() {
        long tenths = rounded(preparationNanos(), 100_000);
        return tenths / 10 + "." + tenths % 10;
    }

    /** The ended phases as a {@code server-timing} header: {@code admit;dur=0.02, decode;dur=1.31}. */
    public String serverTiming() {
        StringBuilder header = new StringBuilder(160);
        spans.forEach((phase, nanos) -> {
            long hundredths = rounded(nanos, 10_000);
            header.append(header.isEmpty() ? "" : ", ")
                    .append(phase.label())
                    .append(";dur=")
                    .append(hundredths / 100)
                    .append(hundredths % 100 < 10 ? ".0" : ".")
                    .append(hundredths % 100);
        });
        return header.toString();
    }

    /** By hand: a formatter takes longer over this than most phases take. */
    private static long rounded(long nanos, long unit) {
        return (Math.max(0, nanos) + unit / 2) / unit;
    }
}
