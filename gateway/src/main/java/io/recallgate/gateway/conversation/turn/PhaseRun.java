package io.recallgate.gateway.conversation.turn;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * Where one turn is. Phases are entered in their order and never twice; one that has nothing to do is passed over. Owned by
 * the request's event loop.
 */
public final class PhaseRun {

    private static final double NANOS_PER_MILLI = 1e6;

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
        return Map.copyOf(spans);
    }

    /** Milliseconds that the ended preparation phases took together. */
    public double preparationMillis() {
        return spans.entrySet().stream()
                        .filter(entry -> entry.getKey().isPreparation())
                        .mapToLong(Map.Entry::getValue)
                        .sum()
                / NANOS_PER_MILLI;
    }

    /** The ended phases as a {@code server-timing} header: {@code admit;dur=0.02, decode;dur=1.31}. */
    public String serverTiming() {
        StringBuilder header = new StringBuilder();
        spans.forEach((phase, nanos) -> header.append(header.isEmpty() ? "" : ", ")
                .append(phase.label())
                .append(String.format(Locale.ROOT, ";dur=%.2f", nanos / NANOS_PER_MILLI)));
        return header.toString();
    }
}
