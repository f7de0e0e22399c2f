package io.recallgate.recall.database;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.Clock;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Says in one line that something is out of reach, again once a minute while that lasts, and in one line that it is
 * over: an outage of the database must not fill the log. An error of our own keeps its stack trace, under the same
 * bound. Thread-safe.
 */
public final class TroubleLog {

    private static final long REPEAT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final Clock clock;
    private final String back;
    private boolean troubled;
    private long sinceNanos;
    private long saidNanos;
    private long unsaid;

    /**
     * @param clock tells a minute
     * @param back a clause for when it is over: "jobs run again"
     */
    public TroubleLog(Logger log, Clock clock, String back) {
        this.log = log;
        this.clock = clock;
        this.back = back;
    }

    /**
     * Something did not work.
     *
     * @param what a clause that needs no more than the reason: "jobs cannot be claimed"
     */
    public synchronized void trouble(String what, Throwable error) {
        long now = clock.nanoTime();
        FailureException failure = FailureException.of(error);
        if (troubled && now - saidNanos < REPEAT_NANOS) {
            unsaid++;
            log.debug("{}", what, error);
            return;
        }
        String more = unsaid == 0 ? "" : "; " + unsaid + " more like it in the last minute";
        if (failure.code() == FailureCode.INTERNAL) {
            log.warn("{}: {}{}", what, failure.code().code(), more, error);
        } else {
            log.warn("{}: {} ({}){}", what, failure.code().code(), failure.detail(), more);
            log.debug("{}", what, error);
        }
        if (!troubled) {
            troubled = true;
            sinceNanos = now;
        }
        saidNanos = now;
        unsaid = 0;
    }

    /** It works. */
    public synchronized void over() {
        if (troubled) {
            troubled = false;
            unsaid = 0;
            log.info("{} after {} s", back, TimeUnit.NANOSECONDS.toSeconds(clock.nanoTime() - sinceNanos));
        }
    }
}
