package io.recallgate.embedding.remote;

import java.time.Duration;
import java.util.List;

/**
 * Keeps queries from waiting for a provider that stalls. Opens after some queries in a row that waited in vain; then
 * refuses at once, and after a back-off lets one query through, whose end closes it or doubles the back-off.
 *
 * <p>What ends quickly costs nobody a wait, and never opens it: neither a refused connection, nor an error, nor a caller
 * who had no patience. What counts is an attempt without vectors that had at least min(limit, {@value #PATIENCE_MILLIS}
 * ms). The probe has a bound of its own, or a provider that once needs longer than a query's limit, as one that has to
 * load its model, would never be let back.
 *
 * <p>A plain state machine: told what happens, one thing at a time; answers what to do. Only queries go through it;
 * documents have time, and their jobs wait by themselves.
 */
final class CircuitBreaker {

    /** Whoever had less shows nothing about the provider: a healthy remote one may take some hundred milliseconds. */
    static final long PATIENCE_MILLIS = 1_000;

    private static final long PATIENCE_NANOS =
            Duration.ofMillis(PATIENCE_MILLIS).toNanos();
    private static final long NONE = -1;

    private final Config config;
    private BreakerState state = BreakerState.CLOSED;
    private long sinceNanos;
    /** Expiries in a row. */
    private int expiries;

    private long backoffNanos;
    /** When a query may probe; means something while it is open. */
    private long probeFromNanos;

    private long probe = NONE;
    private long lastAttempt = NONE;
    /** Attempts up to this one began before it closed and show nothing about the time after. */
    private long staleAttempt = NONE;

    /**
     * Numbers.
     *
     * @param expiries in a row that open it, at least 1
     * @param backoff until the first probe
     * @param maxBackoff up to which the back-off doubles with each probe in vain
     * @param probeBound how long a probe may take
     */
    record Config(int expiries, Duration backoff, Duration maxBackoff, Duration probeBound) {}

    CircuitBreaker(Config config, long now) {
        this.config = config;
        this.sinceNanos = now;
        this.backoffNanos = config.backoff().toNanos();
    }

    /**
     * Something happened.
     *
     * @param now on a monotonic clock, in nanoseconds
     * @return what to do, in order; for {@link BreakerEvent.Asked} the last one says whether to send
     */
    List<BreakerEffect> on(BreakerEvent event, long now) {
        if (event instanceof BreakerEvent.Asked asked) {
            return asked(asked.attempt(), now);
        }
        if (event instanceof BreakerEvent.Answered answered) {
            return answered(answered.attempt(), now);
        }
        if (event instanceof BreakerEvent.Failed failed) {
            return inVain(failed.attempt(), failed.hadNanos(), failed.limitNanos(), now);
        }
        BreakerEvent.Expired expired = (BreakerEvent.Expired) event;
        return inVain(expired.attempt(), expired.hadNanos(), expired.limitNanos(), now);
    }

    BreakerState state() {
        return state;
    }

    /** How long it has been in its state. */
    long ageNanos(long now) {
        return now - sinceNanos;
    }

    /** Expiries in a row so far. */
    int expiries() {
        return expiries;
    }

    /** Until a query may probe; zero unless it is open. */
    long retryNanos(long now) {
        return state == BreakerState.OPEN ? Math.max(0, probeFromNanos - now) : 0;
    }

    /** Whether a query that asked now would be refused. */
    boolean refuses(long now) {
        return state == BreakerState.HALF_OPEN || retryNanos(now) > 0;
    }

    private List<BreakerEffect> asked(long attempt, long now) {
        lastAttempt = attempt;
        return switch (state) {
            case CLOSED -> List.of(new BreakerEffect.Admit());
            case HALF_OPEN -> List.of(new BreakerEffect.Refuse(config.backoff().toNanos()));
            case OPEN -> {
                if (retryNanos(now) > 0) {
                    yield List.of(new BreakerEffect.Refuse(retryNanos(now)));
                }
                probe = attempt;
                yield List.of(
                        to(BreakerState.HALF_OPEN, now),
                        new BreakerEffect.Probe(config.probeBound().toNanos()));
            }
        };
    }

    private List<BreakerEffect> answered(long attempt, long now) {
        switch (state) {
            case CLOSED -> {
                if (attempt > staleAttempt) {
                    expiries = 0;
                    // Only now: a probe that succeeds with its own long bound proves less than a query in time.
                    backoffNanos = config.backoff().toNanos();
                }
                return List.of();
            }
            case HALF_OPEN -> {
                if (attempt != probe) {
                    return List.of();
                }
                probe = NONE;
                expiries = 0;
                staleAttempt = lastAttempt;
                return List.of(to(BreakerState.CLOSED, now));
            }
            case OPEN -> {
                // One that was on its way when it opened.
                return List.of();
            }
        }
        throw new IllegalStateException("no such state: " + state);
    }

    private List<BreakerEffect> inVain(long attempt, long hadNanos, long limitNanos, long now) {
        if (state == BreakerState.HALF_OPEN && attempt == probe) {
            probe = NONE;
            backoffNanos = Math.min(config.maxBackoff().toNanos(), 2 * backoffNanos);
            return List.of(open(now));
        }
        // The limit's clock begins to run where the query is asked, which is a little before it is sent from here.
        boolean counts = hadNanos >= Math.min(limitNanos - limitNanos / 10, PATIENCE_NANOS);
        if (state != BreakerState.CLOSED || attempt <= staleAttempt || !counts) {
            return List.of();
        }
        expiries++;
        return expiries < config.expiries() ? List.of() : List.of(open(now));
    }

    private BreakerEffect open(long now) {
        probeFromNanos = now + backoffNanos;
        return to(BreakerState.OPEN, now);
    }

    /** The one place where the state changes. */
    private BreakerEffect to(BreakerState next, long now) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("the breaker cannot go from " + state + " to " + next);
        }
        BreakerState from = state;
        state = next;
        sinceNanos = now;
        return new BreakerEffect.Moved(from, next, retryNanos(now));
    }
}
