package io.recallgate.recall.database;

/**
 * Tells a database that stands still from one that is busy. A busy one answers a question of no weight at once, however
 * long its other work takes; one that was paused, or whose network swallows everything, answers nothing at all, and its
 * callers would wait until their deadlines, which may be minutes away.
 *
 * <p>A plain state machine: its owner tells it what happens, one thing at a time, and does what it answers.
 */
final class Pulse {

    /** Statements mostly take milliseconds. Where nothing came back for so long, somebody asks. */
    static final long QUIET_MILLIS = 500;

    /** A server that lives answers "select 1" in well under a millisecond; so does one that is short of cores. */
    static final long ANSWER_MILLIS = 1_000;

    /** How long a silent connection is believed in: after a change of addresses only a new one gets through. */
    static final long REDIAL_MILLIS = 5_000;

    /** Each is believed in for twice as long as the one before, up to this: each may cost the server a process. */
    static final long MAX_REDIAL_MILLIS = 20_000;

    private PulseState state = PulseState.RESTING;
    private int waiting;
    /** Whether something came back since it was looked last. */
    private boolean heard;

    private long redialMillis = REDIAL_MILLIS;

    /** What the owner is to do. Every one but {@link #NOTHING} replaces the timer that was armed before. */
    enum Effect {
        /** Leave everything as it is. */
        NOTHING,
        /** No timer. */
        REST,
        /** Call {@link #timeIsUp()} in {@link #QUIET_MILLIS}. */
        WATCH,
        /** Ask, and call {@link #timeIsUp()} in {@link #ANSWER_MILLIS}, not counting what it takes to connect. */
        ASK,
        /** Refuse whoever waits, leave the question open, and call {@link #timeIsUp()} in {@link #redialMillis()}. */
        REFUSE,
        /** Ask on a new connection, and call {@link #timeIsUp()} in {@link #redialMillis()}. */
        REDIAL
    }

    PulseState state() {
        return state;
    }

    /** How long the question under way is believed in while the database is silent. */
    long redialMillis() {
        return redialMillis;
    }

    /** Somebody begins to wait for the database. */
    Effect begun() {
        waiting++;
        return state == PulseState.RESTING ? to(PulseState.WATCHING, Effect.WATCH) : Effect.NOTHING;
    }

    /** Somebody waits no more, whatever came of it. */
    void ended() {
        waiting--;
    }

    /** Something came back, be it an error: whoever refuses is not silent. */
    Effect heard() {
        heard = true;
        return switch (state) {
            case RESTING, WATCHING -> Effect.NOTHING;
            case ASKING, SILENT -> onwards();
        };
    }

    /** Somebody wants to know now. */
    Effect wanted() {
        return switch (state) {
            case RESTING, WATCHING -> to(PulseState.ASKING, Effect.ASK);
            case ASKING, SILENT -> Effect.NOTHING;
        };
    }

    /** The timer that was armed last has run out. */
    Effect timeIsUp() {
        return switch (state) {
            case RESTING -> Effect.NOTHING;
            case WATCHING -> {
                if (waiting == 0) {
                    yield onwards();
                }
                if (!heard) {
                    yield to(PulseState.ASKING, Effect.ASK);
                }
                heard = false;
                yield Effect.WATCH;
            }
            case ASKING -> {
                redialMillis = REDIAL_MILLIS;
                yield to(PulseState.SILENT, Effect.REFUSE);
            }
            case SILENT -> {
                redialMillis = Math.min(2 * redialMillis, MAX_REDIAL_MILLIS);
                yield Effect.REDIAL;
            }
        };
    }

    private Effect onwards() {
        heard = false;
        return waiting == 0 ? to(PulseState.RESTING, Effect.REST) : to(PulseState.WATCHING, Effect.WATCH);
    }

    /** The one place where the state changes. */
    private Effect to(PulseState next, Effect effect) {
        if (!state.next().contains(next)) {
            throw new IllegalStateException("the pulse cannot go from " + state + " to " + next);
        }
        state = next;
        return effect;
    }
}
