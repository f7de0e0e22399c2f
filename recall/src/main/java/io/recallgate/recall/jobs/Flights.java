package io.recallgate.recall.jobs;

import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Timers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a runner holds: running, or parked because a thread of the embedder is still out with their text
 * (CONTRACTS A6a).
 *
 * <p>A parked job keeps its lease, so that no other runner starts the text beside that thread, and asks again now and
 * then, which the embedder answers at once for as long as the thread is out. Nothing counts against it: the first run
 * after the thread has returned decides. It takes up no place of a running job, or a few stuck texts would stop all
 * others; beyond {@link #PARKING_PLACES} it does, which bounds what a runner holds. Confined to its runner's context.
 */
final class Flights {

    /** As many expired texts as the embedding pool remembers by default. */
    static final int PARKING_PLACES = 64;

    private final Timers timers;
    private final int places;
    private final Map<Long, Flight> held = new LinkedHashMap<>();
    private final Set<Long> embedded = new HashSet<>();
    private final Map<Long, Timers.Timer> waiting = new HashMap<>();
    private final Deque<Long> due = new ArrayDeque<>();

    /** @param places of jobs at the embedder */
    Flights(Timers timers, int places) {
        this.timers = timers;
        this.places = places;
    }

    /**
     * One hold on a job. A job that was lost and claimed again is under the same id, with another flight.
     *
     * @param cancel gives its run up
     * @param quarantines answers in a row that its text is quarantined
     */
    record Flight(ClaimedJob job, CancelSignal cancel, int quarantines) {}

    /** Holds on to a job that was claimed. */
    Flight begin(ClaimedJob job) {
        unpark(job.id());
        embedded.remove(job.id());
        Flight flight = new Flight(job, new CancelSignal(), 0);
        held.put(job.id(), flight);
        return flight;
    }

    /** The embedder is done with its text, and only its outcome is still to be written. */
    void embedded(Flight flight) {
        if (flight.equals(held.get(flight.job().id()))) {
            embedded.add(flight.job().id());
        }
    }

    /** Lets go of a job; false if it is no longer held by this flight. */
    boolean end(Flight flight) {
        boolean ours = held.remove(flight.job().id(), flight);
        if (ours) {
            embedded.remove(flight.job().id());
        }
        return ours;
    }

    /**
     * Keeps a job that has just ended with its text quarantined. One that was given up meanwhile is not kept.
     *
     * @param waitMillis until it is due
     * @param whenDue called on any thread; is to call {@link #comeDue} on the runner's context
     */
    void park(Flight ended, long waitMillis, Runnable whenDue) {
        if (ended.cancel().isCancelled()) {
            return;
        }
        long id = ended.job().id();
        held.put(id, new Flight(ended.job(), ended.cancel(), ended.quarantines() + 1));
        waiting.put(id, timers.schedule(TimeUnit.MILLISECONDS.toNanos(waitMillis), whenDue));
    }

    /** The wait of a parked job is over; means nothing for one that was let go of since. */
    void comeDue(long id) {
        if (waiting.remove(id) != null) {
            due.addLast(id);
        }
    }

    /** The job that has been due for longest, which counts as running from now on; null if none is. */
    @Nullable
    Flight takeDue() {
        Long id = due.pollFirst();
        return id == null ? null : held.get(id);
    }

    /** None comes due any more; all stay held. */
    void stopWaiting() {
        waiting.forEach((id, timer) -> {
            timer.cancel();
            due.addLast(id);
        });
        waiting.clear();
    }

    /** The job is somebody else's by now: its run is given up, and one that does not run is let go of. */
    void lose(Flight flight) {
        flight.cancel().cancel(CancelCause.SUPERSEDED);
        if (flight.equals(held.get(flight.job().id())) && unpark(flight.job().id())) {
            held.remove(flight.job().id());
        }
    }

    /**
     * Places at the embedder that are free, below 1 for none. A job that waits to be written takes none, or the embedder
     * would be idle while a commit is under way; where more wait than there are places, those do, since the database does
     * not keep up.
     */
    int freePlaces() {
        return places - held.size() + Math.min(parked(), PARKING_PLACES) + Math.min(embedded.size(), places);
    }

    /** Whether it is time for the next claim: the jobs of the other half keep the embedder busy meanwhile. */
    boolean isHalfFree() {
        return freePlaces() >= (places + 1) / 2;
    }

    /**
     * Room for contents of further jobs, where parked ones count as well and a character counts as a byte; at least for
     * one while none runs, or parked ones could stop all others.
     *
     * @param bound on the contents that are held
     */
    long bytesLeft(long bound) {
        long left = bound - bytes(jobs());
        return isIdle() ? Math.max(1, left) : left;
    }

    /** What contents count for. */
    static long bytes(List<ClaimedJob> jobs) {
        return jobs.stream().mapToLong(job -> job.content().length()).sum();
    }

    /** Whether no job runs. */
    boolean isIdle() {
        return held.size() == parked();
    }

    List<Flight> all() {
        return List.copyOf(held.values());
    }

    List<ClaimedJob> jobs() {
        return held.values().stream().map(Flight::job).toList();
    }

    Set<Long> ids() {
        return Set.copyOf(held.keySet());
    }

    private int parked() {
        return waiting.size() + due.size();
    }

    private boolean unpark(long id) {
        Timers.Timer timer = waiting.remove(id);
        if (timer != null) {
            timer.cancel();
            return true;
        }
        return due.remove(id);
    }
}
