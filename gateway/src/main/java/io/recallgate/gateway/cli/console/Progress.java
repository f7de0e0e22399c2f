package io.recallgate.gateway.cli.console;

import io.recallgate.time.Clock;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Shows how far a long step is: one line rewritten in place on a terminal, at most ten times a second; elsewhere a plain
 * line now and then, so that a log shows life without filling up. Used by one thread.
 */
public final class Progress implements AutoCloseable {

    private static final long TERMINAL_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LOG_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int BAR_CELLS = 24;

    private final Screen screen;
    private final Clock clock;
    private final String label;
    private final long startedNanos;
    private long shownNanos;
    private final boolean passing;
    private boolean shown;
    private String last = "";

    /**
     * @param screen its {@code err} is written to
     * @param label what is done, such as {@code importing}
     */
    public Progress(Screen screen, Clock clock, String label) {
        this(screen, clock, label, false);
    }

    private Progress(Screen screen, Clock clock, String label, boolean passing) {
        this.screen = screen;
        this.clock = clock;
        this.label = label;
        this.passing = passing;
        this.startedNanos = clock.nanoTime();
    }

    /** One whose line is erased at the end, for a step whose end is told by another line. */
    public static Progress passing(Screen screen, Clock clock, String label) {
        return new Progress(screen, clock, label, true);
    }

    /** Nanoseconds since this progress began. */
    public long elapsedNanos() {
        return clock.nanoTime() - startedNanos;
    }

    /**
     * Shows a state without a known end.
     *
     * @param detail what to say after the label
     */
    public void show(String detail) {
        last = label + "  " + detail;
        long now = clock.nanoTime();
        long every = screen.errIsTerminal() ? TERMINAL_EVERY_NANOS : LOG_EVERY_NANOS;
        // Off a terminal the first line is shown only when the step has turned out to be long.
        long since = shown ? now - shownNanos : screen.errIsTerminal() ? Long.MAX_VALUE : now - startedNanos;
        if (since >= every) {
            draw(now);
        }
    }

    /**
     * Shows a share of a whole.
     *
     * @param done 0 to {@code total}
     * @param total more than zero
     * @param detail what to say after the bar
     */
    public void show(long done, long total, String detail) {
        int filled = (int) (BAR_CELLS * Math.min(done, total) / Math.max(1, total));
        String bar = "[" + "#".repeat(filled) + ".".repeat(BAR_CELLS - filled) + "]";
        show(String.format(
                Locale.ROOT, "%s %3d %%  %s", bar, 100 * Math.min(done, total) / Math.max(1, total), detail));
    }

    /** Ends the line and leaves the last state on it, or nothing if it is a passing one. */
    @Override
    public void close() {
        if (screen.errIsTerminal() && !last.isEmpty()) {
            if (passing) {
                screen.line().erase();
            } else {
                draw(clock.nanoTime());
                screen.line().keep();
            }
        }
    }

    private void draw(long now) {
        shown = true;
        shownNanos = now;
        String line = DisplayWidth.truncate(last, screen.columns() - 1);
        if (screen.errIsTerminal()) {
            screen.line().show(line);
        } else {
            screen.err().println(line);
        }
    }
}
