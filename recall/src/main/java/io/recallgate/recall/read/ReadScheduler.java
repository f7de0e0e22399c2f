package io.recallgate.recall.read;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Which read runs when, and what becomes of those that cannot: a plain state machine. Its owner tells it what happens,
 * one thing at a time and with the time, does what it answers in that order, and calls {@link #timeIsUp} at {@link
 * #wakeAt}. Each job that was submitted is settled exactly once, by {@link Deliver} or {@link Settle}.
 *
 * <p>A job has its deadline, which counts its wait. Its caller is answered by then, whatever its thread does. Being slow is
 * no failure: a job that returns before its deadline is delivered, also by a worker that was retired meanwhile.
 */
final class ReadScheduler {

    private final ReadLimits limits;
    private final Map<Lane, Map<Long, Job>> waiting = new EnumMap<>(Lane.class);
    private final Map<Lane, Long> waitingBytes = new EnumMap<>(Lane.class);
    private final Map<Long, Job> running = new LinkedHashMap<>();
    private final Map<Long, Worker> live = new LinkedHashMap<>();
    private final Map<Long, Worker> retired = new LinkedHashMap<>();
    private long workersMade;
    private int inARow;
    private boolean closed;

    ReadScheduler(ReadLimits limits) {
        this.limits = limits;
        for (Lane lane : Lane.values()) {
            waiting.put(lane, new LinkedHashMap<>());
            waitingBytes.put(lane, 0L);
        }
        fill();
    }

    /** What the owner is to do. */
    sealed interface Effect {}

    /** Run the job on this worker's thread, and tell {@link #returned}. */
    record Start(long worker, long job) implements Effect {}

    /** Give the caller what the job brought. */
    record Deliver(long job) implements Effect {}

    /** Give the caller a failure. */
    record Settle(long job, Ending why) implements Effect {}

    /** Interrupt the worker's thread, which is at the job: it gets no other. */
    record Retire(long worker, long job) implements Effect {}

    /** Let the worker's thread go. */
    record Release(long worker) implements Effect {}

    /** How a job ends without a result. */
    enum Ending {
        OVERLOADED,
        EXPIRED,
        CANCELLED,
        CLOSED
    }

    private static final class Job {
        private final long id;
        private final Lane lane;
        private final long bytes;
        private final long deadlineNanos;
        private JobState state = JobState.WAITING;
        private @Nullable Worker worker;
        private long retireNanos;

        private Job(long id, Lane lane, long bytes, long deadlineNanos) {
            this.id = id;
            this.lane = lane;
            this.bytes = bytes;
            this.deadlineNanos = deadlineNanos;
        }

        private void to(JobState next) {
            if (!state.next().contains(next)) {
                throw new IllegalStateException("read " + id + " cannot go from " + state + " to " + next);
            }
            state = next;
        }
    }

    private static final class Worker {
        private final long id;
        private WorkerState state = WorkerState.IDLE;

        private Worker(long id) {
            this.id = id;
        }

        private void to(WorkerState next) {
            if (!state.next().contains(next)) {
                throw new IllegalStateException("read worker " + id + " cannot go from " + state + " to " + next);
            }
            state = next;
        }
    }

    /**
     * A job is asked for.
     *
     * @param id never used before
     * @param bytes what it is charged with while it waits
     * @param deadlineNanos on the clock of {@code now}
     */
    List<Effect> submit(long id, Lane lane, long bytes, long deadlineNanos, long now) {
        if (closed) {
            return List.of(new Settle(id, Ending.CLOSED));
        }
        List<Effect> effects = new ArrayList<>();
        // What is late makes room for what is not.
        expire(now, effects);
        if (deadlineNanos - now <= 0) {
            effects.add(new Settle(id, Ending.EXPIRED));
        } else if (idle() > 0 || fits(lane, bytes)) {
            of(lane).put(id, new Job(id, lane, bytes, deadlineNanos));
            waitingBytes.merge(lane, bytes, Long::sum);
        } else {
            effects.add(new Settle(id, Ending.OVERLOADED));
        }
        dispatch(now, effects);
        return effects;
    }

    /** A worker's thread is back from a job, with whatever result. */
    List<Effect> returned(long workerId, long jobId, long now) {
        List<Effect> effects = new ArrayList<>();
        Job job = running.remove(jobId);
        if (job == null || job.worker == null || job.worker.id != workerId) {
            throw new IllegalStateException("worker " + workerId + " is not at read " + jobId);
        }
        Worker worker = job.worker;
        if (job.state == JobState.RUNNING) {
            effects.add(new Deliver(jobId));
        }
        job.to(JobState.OVER);
        if (worker.state == WorkerState.RETIRED) {
            worker.to(WorkerState.ENDED);
            retired.remove(workerId);
            fill();
        } else if (closed) {
            worker.to(WorkerState.ENDED);
            live.remove(workerId);
            effects.add(new Release(workerId));
        } else {
            worker.to(WorkerState.IDLE);
        }
        dispatch(now, effects);
        return effects;
    }

    /** Nobody waits for the job any more; harmless when it is over. */
    List<Effect> left(long jobId, long now) {
        List<Effect> effects = new ArrayList<>();
        for (Lane lane : Lane.values()) {
            Job job = of(lane).get(jobId);
            if (job != null) {
                drop(job, Ending.CANCELLED, effects);
            }
        }
        Job job = running.get(jobId);
        if (job != null && job.state == JobState.RUNNING) {
            job.to(JobState.LEFT);
            effects.add(new Settle(jobId, Ending.CANCELLED));
        }
        dispatch(now, effects);
        return effects;
    }

    /** The time of {@link #wakeAt} has come; harmless before. */
    List<Effect> timeIsUp(long now) {
        List<Effect> effects = new ArrayList<>();
        for (Job job : List.copyOf(running.values())) {
            Worker worker = job.worker;
            if (worker != null && worker.state == WorkerState.RUNNING && job.retireNanos - now <= 0) {
                retire(worker, job, effects);
            }
        }
        dispatch(now, effects);
        return effects;
    }

    /** No more jobs: those that wait or run are settled, and threads go as they return. Idempotent. */
    List<Effect> close() {
        List<Effect> effects = new ArrayList<>();
        if (closed) {
            return effects;
        }
        closed = true;
        for (Lane lane : Lane.values()) {
            List.copyOf(of(lane).values()).forEach(job -> drop(job, Ending.CLOSED, effects));
        }
        for (Job job : running.values()) {
            if (job.state == JobState.RUNNING) {
                job.to(JobState.LEFT);
                effects.add(new Settle(job.id, Ending.CLOSED));
            }
        }
        for (Iterator<Worker> each = live.values().iterator(); each.hasNext(); ) {
            Worker worker = each.next();
            if (worker.state == WorkerState.IDLE) {
                worker.to(WorkerState.ENDED);
                effects.add(new Release(worker.id));
                each.remove();
            }
        }
        return effects;
    }

    /** When to call {@link #timeIsUp}; empty when nothing can become late. */
    OptionalLong wakeAt() {
        OptionalLong earliest = OptionalLong.empty();
        for (Lane lane : Lane.values()) {
            for (Job job : of(lane).values()) {
                earliest = earlier(earliest, job.deadlineNanos);
            }
        }
        for (Job job : running.values()) {
            if (job.state == JobState.RUNNING) {
                earliest = earlier(earliest, job.deadlineNanos);
            }
            if (job.worker != null && job.worker.state == WorkerState.RUNNING) {
                earliest = earlier(earliest, job.retireNanos);
            }
        }
        return earliest;
    }

    /** Jobs of the lane that wait. */
    int waiting(Lane lane) {
        return of(lane).size();
    }

    /** What they are charged with. */
    long waitingBytes(Lane lane) {
        return waitingBytes.getOrDefault(lane, 0L);
    }

    /** Jobs with a thread at them that was not retired. */
    int running() {
        return (int) live.values().stream()
                .filter(worker -> worker.state == WorkerState.RUNNING)
                .count();
    }

    /** Workers that have nothing to do. */
    int idle() {
        return (int) live.values().stream()
                .filter(worker -> worker.state == WorkerState.IDLE)
                .count();
    }

    /** Threads that have not returned from a job they should have. */
    int retired() {
        return retired.size();
    }

    /** Whether no thread is at work. */
    boolean isQuiet() {
        return running.isEmpty();
    }

    private Map<Long, Job> of(Lane lane) {
        return waiting.getOrDefault(lane, Map.of());
    }

    private static OptionalLong earlier(OptionalLong one, long other) {
        return one.isPresent() && one.getAsLong() - other <= 0 ? one : OptionalLong.of(other);
    }

    private boolean fits(Lane lane, long bytes) {
        int jobs = 1;
        long charged = bytes;
        for (Lane each : Lane.values()) {
            jobs += waiting(each);
            charged += waitingBytes(each);
        }
        boolean withinAll = jobs <= limits.queueJobs() && (charged <= limits.queueBytes() || charged == bytes);
        if (lane == Lane.FOREGROUND) {
            return withinAll;
        }
        long ofLane = waitingBytes(lane) + bytes;
        return withinAll
                && waiting(lane) < limits.backgroundJobs()
                && (ofLane <= limits.backgroundBytes() || ofLane == bytes);
    }

    private void expire(long now, List<Effect> effects) {
        for (Lane lane : Lane.values()) {
            for (Job job : List.copyOf(of(lane).values())) {
                if (job.deadlineNanos - now <= 0) {
                    drop(job, Ending.EXPIRED, effects);
                }
            }
        }
        for (Job job : running.values()) {
            if (job.state == JobState.RUNNING && job.deadlineNanos - now <= 0) {
                job.to(JobState.LEFT);
                effects.add(new Settle(job.id, Ending.EXPIRED));
            }
        }
    }

    private void drop(Job job, Ending why, List<Effect> effects) {
        take(job).to(JobState.OVER);
        effects.add(new Settle(job.id, why));
    }

    /** Out of the queue, with its charge. */
    private Job take(Job job) {
        of(job.lane).remove(job.id);
        waitingBytes.merge(job.lane, -job.bytes, Long::sum);
        return job;
    }

    private void retire(Worker worker, Job job, List<Effect> effects) {
        worker.to(WorkerState.RETIRED);
        live.remove(worker.id);
        retired.put(worker.id, worker);
        effects.add(new Retire(worker.id, job.id));
        fill();
    }

    /** As many workers as may be: those beyond the replacements that are not back are missing. */
    private void fill() {
        int most = limits.workers() - Math.max(0, retired.size() - limits.replacements());
        while (!closed && live.size() < most) {
            Worker worker = new Worker(++workersMade);
            live.put(worker.id, worker);
        }
    }

    private void dispatch(long now, List<Effect> effects) {
        if (closed) {
            return;
        }
        expire(now, effects);
        for (Worker worker : live.values()) {
            Job job = worker.state == WorkerState.IDLE ? next() : null;
            if (job != null) {
                start(worker, take(job), now, effects);
            }
        }
    }

    private void start(Worker worker, Job job, long now, List<Effect> effects) {
        inARow = job.lane == Lane.BACKGROUND || waiting(Lane.BACKGROUND) == 0 ? 0 : inARow + 1;
        job.to(JobState.RUNNING);
        worker.to(WorkerState.RUNNING);
        job.worker = worker;
        long afterDeadline = job.deadlineNanos + limits.graceNanos();
        long afterStart = now + limits.runNanos();
        job.retireNanos = afterDeadline - afterStart < 0 ? afterDeadline : afterStart;
        running.put(job.id, job);
        effects.add(new Start(worker.id, job.id));
    }

    /** The foreground first, but not for ever. */
    private @Nullable Job next() {
        boolean turn = inARow >= limits.foregroundWeight();
        Collection<Job> first = of(turn ? Lane.BACKGROUND : Lane.FOREGROUND).values();
        Collection<Job> second = of(turn ? Lane.FOREGROUND : Lane.BACKGROUND).values();
        if (!first.isEmpty()) {
            return first.iterator().next();
        }
        return second.isEmpty() ? null : second.iterator().next();
    }
}
