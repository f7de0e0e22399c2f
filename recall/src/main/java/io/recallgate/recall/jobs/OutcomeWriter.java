package io.recallgate.recall.jobs;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.jobs.GroupWriter.Bounds;
import io.recallgate.recall.jobs.JobCommits.Result;
import io.recallgate.recall.jobs.JobTable.SetBack;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes how attempts ended: many in one transaction when they end close together, so that a small text does not cost a
 * transaction of its own. A group that the database refuses is written one by one, so that one job cannot keep the
 * others from being done. What cannot be committed yet waits beside the groups, for as long as a lease, and gets into
 * a later one; it waits with its job in flight, so its lease is renewed and their number is bounded. Thread-safe.
 */
final class OutcomeWriter {

    /** As many as are in flight by default. */
    private static final int GROUP_JOBS = 64;

    /** Some 2,700 vectors of 384 dimensions, which an index may hold five times over as numbers of its own. */
    private static final long GROUP_BYTES = 4L << 20;

    /** Refusals that one row can be the reason of; any other is trouble that the next transaction would have too. */
    private static final Set<FailureCode> MAY_BE_ONE_ROW =
            EnumSet.of(FailureCode.INTERNAL, FailureCode.INVALID_TEXT, FailureCode.CONFLICT);

    /** A writer of a memory mostly takes milliseconds, and so does a pool whose workers change. */
    private static final long FIRST_PAUSE_MILLIS = 50;

    /** Then it is somebody who takes long. */
    private static final long MAX_PAUSE_MILLIS = 2_000;

    private final JobTable table;
    private final JobCommits commits;
    private final ActiveModel model;
    private final Patience patience;
    private final GroupWriter<EmbeddedJob, Written> embedded;
    private final GroupWriter<Ended, Boolean> setBacks;

    OutcomeWriter(JobTable table, JobCommits commits, ActiveModel model, Patience patience) {
        this.table = table;
        this.commits = commits;
        this.model = model;
        this.patience = patience;
        Bounds together = new Bounds(GROUP_JOBS, GROUP_BYTES, patience.groupMillis());
        this.embedded = new GroupWriter<>(together, patience.timers(), EmbeddedJob::bytes, this::writeEmbedded);
        Bounds atOnce = new Bounds(GROUP_JOBS, GROUP_BYTES, 0);
        this.setBacks = new GroupWriter<>(atOnce, patience.timers(), ended -> 0, this::writeSetBacks);
    }

    /**
     * How long a result is kept that is not committed yet.
     *
     * @param groupMillis while others may come to be committed with it
     * @param leaseMillis while it cannot be; read on each use
     */
    record Patience(Timers timers, long groupMillis, LongSupplier leaseMillis) {}

    /**
     * What became of an embedded job.
     *
     * @param failure why it was refused, or why the model was not known; null otherwise
     */
    record Written(Fate fate, @Nullable FailureException failure) {
        static final Written DONE = new Written(Fate.DONE, null);
        static final Written GONE = new Written(Fate.GONE, null);
        static final Written LOCKED = new Written(Fate.LOCKED, null);
        static final Written GIVEN_UP = new Written(Fate.GIVEN_UP, null);

        private boolean mayBeDoneLater() {
            return fate == Fate.LOCKED || fate == Fate.NO_MODEL;
        }
    }

    /** How an embedded job may end. */
    enum Fate {
        /** Its vectors are committed. */
        DONE,
        /** What they were made for is gone. */
        GONE,
        /** The database did not take it alone either. */
        REFUSED,
        /** Somebody held its memory, or its job, for as long as a lease. */
        LOCKED,
        /** It was not known for as long as a lease whether its model is still the active one. */
        NO_MODEL,
        /** It was cancelled while it waited. */
        GIVEN_UP
    }

    private record Ended(ClaimedJob job, SetBack why) {}

    /** An item of a group, and where its outcome goes. */
    private record Open<T, R>(T item, Promise<R> promise) {
        static <T, R> List<Open<T, R>> of(List<T> items) {
            return items.stream()
                    .map(item -> new Open<T, R>(item, Promise.promise()))
                    .toList();
        }

        static <T, R> List<Future<R>> futures(List<Open<T, R>> open) {
            return open.stream().map(one -> one.promise().future()).toList();
        }

        /** Trouble that befalls the rest of a group: those without an outcome get this one. */
        static <T, R> void fail(List<Open<T, R>> open, Throwable trouble) {
            open.forEach(one -> one.promise().tryFail(trouble));
        }
    }

    /** A text is being embedded: what ends meanwhile may wait for it. {@link #ended} must follow. */
    void begun() {
        embedded.expectOneMore();
    }

    /** Its vectors have been handed to {@link #commit}, or there are none. */
    void ended() {
        embedded.expectOneLess();
    }

    /** Commits the vectors if all they were made for, and their model, is still there; {@code cancel} ends a wait. */
    Future<Written> commit(EmbeddedJob job, CancelSignal cancel) {
        return commit(job, cancel, patience.leaseMillis().getAsLong(), FIRST_PAUSE_MILLIS);
    }

    private Future<Written> commit(EmbeddedJob job, CancelSignal cancel, long leftMillis, long pauseMillis) {
        return embedded.add(job).compose(written -> {
            if (!written.mayBeDoneLater() || leftMillis <= 0) {
                return Future.succeededFuture(written);
            }
            return pause(pauseMillis, cancel)
                    .compose(ignored -> cancel.isCancelled()
                            ? Future.succeededFuture(Written.GIVEN_UP)
                            : commit(
                                    job,
                                    cancel,
                                    leftMillis - pauseMillis,
                                    Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS)));
        });
    }

    private Future<Void> pause(long millis, CancelSignal cancel) {
        Promise<Void> over = Promise.promise();
        Timers.Timer timer =
                patience.timers().schedule(TimeUnit.MILLISECONDS.toNanos(millis), () -> over.tryComplete());
        CancelSignal.Registration cancelled = cancel.onCancel(cause -> {
            timer.cancel();
            over.tryComplete();
        });
        return over.future().onComplete(ignored -> cancelled.remove());
    }

    /** Ends an attempt; false if it was no longer ours to end. */
    Future<Boolean> setBack(ClaimedJob job, SetBack why) {
        return setBacks.add(new Ended(job, why));
    }

    /** Gives a job back as if it had not been claimed. */
    Future<Void> release(ClaimedJob job) {
        return table.release(List.of(job)).mapEmpty();
    }

    private List<Future<Written>> writeEmbedded(List<EmbeddedJob> group) {
        List<Open<EmbeddedJob, Written>> open = Open.of(group);
        model.refresh()
                .compose(
                        active -> {
                            List<Open<EmbeddedJob, Written>> current = new ArrayList<>(open);
                            List<Open<EmbeddedJob, Written>> outdated = new ArrayList<>(open);
                            current.removeIf(one -> !one.item().fingerprint().equals(active.fingerprint()));
                            outdated.removeAll(current);
                            return giveBack(outdated).transform(ignored -> commitAll(current));
                        },
                        unknown -> {
                            Written notYet = new Written(Fate.NO_MODEL, FailureException.of(unknown));
                            open.forEach(one -> one.promise().complete(notYet));
                            return Future.succeededFuture();
                        })
                .onFailure(trouble -> Open.fail(open, trouble));
        return Open.futures(open);
    }

    /** Their model was replaced while they ran: nobody asks for its vectors any more, and the new one's are wanted. */
    private Future<Void> giveBack(List<Open<EmbeddedJob, Written>> outdated) {
        if (outdated.isEmpty()) {
            return Future.succeededFuture();
        }
        return table.release(outdated.stream().map(one -> one.item().job()).toList())
                .onSuccess(ignored -> outdated.forEach(one -> one.promise().complete(Written.GONE)))
                .onFailure(trouble -> Open.fail(outdated, trouble))
                .mapEmpty();
    }

    private Future<Void> commitAll(List<Open<EmbeddedJob, Written>> jobs) {
        if (jobs.size() <= 1) {
            return oneByOne(jobs, this::alone);
        }
        return commits.group(jobs.stream().map(Open::item).toList())
                .compose(
                        results -> {
                            for (int i = 0; i < jobs.size(); i++) {
                                jobs.get(i).promise().complete(written(results.get(i)));
                            }
                            return Future.succeededFuture();
                        },
                        error -> mayBeOneRow(error) ? oneByOne(jobs, this::alone) : Future.failedFuture(error));
    }

    private Future<Written> alone(EmbeddedJob job) {
        return commits.group(List.of(job))
                .map(results -> written(results.get(0)))
                .recover(error -> isThisRow(error)
                        ? Future.succeededFuture(new Written(Fate.REFUSED, FailureException.of(error)))
                        : Future.failedFuture(error));
    }

    private static Written written(Result result) {
        return switch (result) {
            case DONE -> Written.DONE;
            case GONE -> Written.GONE;
            case BUSY -> Written.LOCKED;
        };
    }

    private List<Future<Boolean>> writeSetBacks(List<Ended> group) {
        List<Open<Ended, Boolean>> open = Open.of(group);
        setBack(group)
                .compose(
                        ours -> {
                            open.forEach(one -> one.promise()
                                    .complete(ours.contains(one.item().job().id())));
                            return Future.succeededFuture();
                        },
                        error -> mayBeOneRow(error) && open.size() > 1
                                ? oneByOne(open, one -> setBack(List.of(one)).map(ours -> !ours.isEmpty()))
                                : Future.failedFuture(error))
                .onFailure(trouble -> Open.fail(open, trouble));
        return Open.futures(open);
    }

    private Future<Set<Long>> setBack(List<Ended> group) {
        return table.setBack(
                group.stream().map(Ended::job).toList(),
                group.stream().map(Ended::why).toList());
    }

    /**
     * After one another: a group has a connection of its own, and no more. A failure that one row can be the reason of is
     * that row's alone; after any other the rest is not tried, since each would wait for the same trouble.
     */
    private static <T, R> Future<Void> oneByOne(List<Open<T, R>> items, Function<T, Future<R>> write) {
        Future<Void> all = Future.succeededFuture();
        for (Open<T, R> one : items) {
            all = all.compose(ignored -> write.apply(one.item())
                    .onSuccess(one.promise()::complete)
                    .onFailure(one.promise()::fail)
                    .<Void>mapEmpty()
                    .recover(error -> mayBeOneRow(error) ? Future.succeededFuture() : Future.failedFuture(error)));
        }
        return all;
    }

    /** A lost race is nobody's fault, and the job comes back for another. */
    private static boolean isThisRow(Throwable error) {
        return mayBeOneRow(error) && FailureException.of(error).code() != FailureCode.CONFLICT;
    }

    private static boolean mayBeOneRow(Throwable error) {
        return MAY_BE_ONE_ROW.contains(FailureException.of(error).code());
    }
}
