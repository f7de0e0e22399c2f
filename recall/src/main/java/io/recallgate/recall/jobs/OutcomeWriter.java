package io.recallgate.recall.jobs;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.jobs.GroupWriter.Bounds;
import io.recallgate.recall.jobs.JobCommits.Result;
import io.recallgate.recall.jobs.JobTable.SetBack;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes how attempts ended: many in one transaction when they end close together, so that a small text does not cost a
 * transaction of its own. A group that the database refuses is written one by one, so that one job cannot keep the
 * others from being done. Thread-safe.
 */
final class OutcomeWriter {

    /** As many as are in flight by default. */
    private static final int GROUP_JOBS = 64;

    /** Some 2,700 vectors of 384 dimensions, which an index may hold five times over as numbers of its own. */
    private static final long GROUP_BYTES = 4L << 20;

    /** Refusals that one row can be the reason of; any other is trouble that the next transaction would have too. */
    private static final Set<FailureCode> MAY_BE_ONE_ROW =
            EnumSet.of(FailureCode.INTERNAL, FailureCode.INVALID_TEXT, FailureCode.CONFLICT);

    private final JobTable table;
    private final JobCommits commits;
    private final ActiveModel model;
    private final GroupWriter<EmbeddedJob, Written> embedded;
    private final GroupWriter<Ended, Boolean> setBacks;

    OutcomeWriter(JobTable table, JobCommits commits, ActiveModel model) {
        this.table = table;
        this.commits = commits;
        this.model = model;
        this.embedded = new GroupWriter<>(new Bounds(GROUP_JOBS, GROUP_BYTES), EmbeddedJob::bytes, this::writeEmbedded);
        this.setBacks = new GroupWriter<>(new Bounds(GROUP_JOBS, GROUP_BYTES), ended -> 0, this::writeSetBacks);
    }

    /**
     * What became of an embedded job.
     *
     * @param done whether its vectors are committed; otherwise what they were made for is gone, if there is no failure
     * @param failure why the database did not take it alone either, null if it did
     */
    record Written(boolean done, @Nullable FailureException failure) {
        static final Written DONE = new Written(true, null);
        static final Written GONE = new Written(false, null);
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

    /** Commits the vectors if all they were made for, and their model, is still there. */
    Future<Written> commit(EmbeddedJob job) {
        return embedded.add(job);
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
                .transform(active -> {
                    String fingerprint = active.succeeded() ? active.result().fingerprint() : null;
                    List<Open<EmbeddedJob, Written>> current = new ArrayList<>(open);
                    List<Open<EmbeddedJob, Written>> outdated = new ArrayList<>(open);
                    current.removeIf(one -> !one.item().fingerprint().equals(fingerprint));
                    outdated.removeAll(current);
                    return giveBack(outdated).transform(ignored -> commitAll(current));
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
                            List<Open<EmbeddedJob, Written>> busy = new ArrayList<>();
                            for (int i = 0; i < jobs.size(); i++) {
                                switch (results.get(i)) {
                                    case DONE -> jobs.get(i).promise().complete(Written.DONE);
                                    case GONE -> jobs.get(i).promise().complete(Written.GONE);
                                    case BUSY -> busy.add(jobs.get(i));
                                }
                            }
                            return oneByOne(busy, this::alone);
                        },
                        error -> mayBeOneRow(error) ? oneByOne(jobs, this::alone) : Future.failedFuture(error));
    }

    private Future<Written> alone(EmbeddedJob job) {
        return commits.one(job)
                .map(result -> result == Result.DONE ? Written.DONE : Written.GONE)
                .recover(error -> isThisRow(error)
                        ? Future.succeededFuture(new Written(false, FailureException.of(error)))
                        : Future.failedFuture(error));
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
