package io.recallgate.recall.jobs;

import io.recallgate.recall.api.RecallSettings;
import io.recallgate.time.Timers;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When a runner claims without being asked to: a poll interval after the last claim, and after trouble not before a wait
 * that grows with the troubles in a row, whatever wakes it meanwhile. Confined to its runner's context.
 */
final class ClaimPace {

    /** However short the polls: trouble that lasts is asked about so often. */
    private static final long MAX_PAUSE_MILLIS = 30_000;

    private final Timers timers;
    private final Supplier<RecallSettings> settings;
    private final RandomGenerator random;
    private final Executor context;
    private final Runnable claim;

    private boolean paused;
    private int troubles;
    private Timers.@Nullable Timer timer;

    /**
     * One that waits for nothing yet.
     *
     * @param context the runner's
     * @param claim is due; called on the context
     */
    ClaimPace(
            Timers timers,
            Supplier<RecallSettings> settings,
            RandomGenerator random,
            Executor context,
            Runnable claim) {
        this.timers = timers;
        this.settings = settings;
        this.random = random;
        this.context = context;
        this.claim = claim;
    }

    /** Whether nothing is to be claimed until a wait is over. */
    boolean isPaused() {
        return paused;
    }

    /** The next claim is a poll interval away, unless one is due already. */
    void poll() {
        if (timer == null) {
            arm(settings.get().jobPollMillis());
        }
    }

    /** Nothing is claimed until the wait is over. */
    void trouble() {
        if (paused) {
            return;
        }
        paused = true;
        troubles = Math.min(troubles + 1, 30);
        cancel();
        RecallSettings now = settings.get();
        arm(Math.min(
                Math.max(now.jobPollMillis(), MAX_PAUSE_MILLIS),
                Backoff.millis(troubles, now.jobPollMillis(), now.jobBackoffMaxMillis(), random)));
    }

    /** The next trouble is the first. */
    void fine() {
        troubles = 0;
    }

    /** No claim is due by itself. */
    void cancel() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void arm(long millis) {
        timer = timers.schedule(
                TimeUnit.MILLISECONDS.toNanos(millis),
                () -> context.execute(() -> {
                    timer = null;
                    paused = false;
                    claim.run();
                }));
    }
}
