package io.recallgate.recall.jobs;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.jobs.GroupWriter.Bounds;
import io.recallgate.recall.jobs.JobCommits.Result;
import io.recallgate.recall.jobs.JobTable.SetBack;
import io.vertx.core.Future;
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

    /** One statement's parameters: some five thousand vectors of 384 dimensions would be too many to hold twice. */
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

    private Future<List<Written>> writeEmbedded(List<EmbeddedJob> group) {
        return model.refresh().transform(active -> {
            String fingerprint = active.succeeded() ? active.result().fingerprint() : null;
            List<EmbeddedJob> current = new ArrayList<>();
            List<ClaimedJob> outdated = new ArrayList<>();
            for (EmbeddedJob job : group) {
                if (job.fingerprint().equals(fingerprint)) {
                    current.add(job);
                } else {
                    // The model was replaced while this ran: the vectors would be filed under one that is gone.
                    outdated.add(job.job());
                }
            }
            Future<?> released = outdated.isEmpty() ? Future.succeededFuture() : table.release(outdated);
            return released.compose(ignored -> commitAll(current)).map(written -> {
                List<Written> all = new ArrayList<>();
                int next = 0;
                for (EmbeddedJob job : group) {
                    all.add(job.fingerprint().equals(fingerprint) ? written.get(next++) : Written.GONE);
                }
                return all;
            });
        });
    }

    private Future<List<Written>> commitAll(List<EmbeddedJob> jobs) {
        return switch (jobs.size()) {
            case 0 -> Future.succeededFuture(List.of());
            case 1 -> alone(jobs.get(0)).map(List::of);
            default -> together(jobs);
        };
    }

    private Future<List<Written>> together(List<EmbeddedJob> jobs) {
        return commits.group(jobs)
                .compose(
                        results -> oneByOne(jobs, i -> switch (results.get(i)) {
                            case DONE -> Future.succeededFuture(Written.DONE);
                            case GONE -> Future.succeededFuture(Written.GONE);
                            case BUSY -> alone(jobs.get(i));
                        }),
                        error -> mayBeOneRow(error)
                                ? oneByOne(jobs, i -> alone(jobs.get(i)))
                                : Future.failedFuture(error));
    }

    private Future<Written> alone(EmbeddedJob job) {
        return commits.one(job)
                .map(result -> result == Result.DONE ? Written.DONE : Written.GONE)
                .recover(error -> isThisRow(error)
                        ? Future.succeededFuture(new Written(false, FailureException.of(error)))
                        : Future.failedFuture(error));
    }

    private Future<List<Boolean>> writeSetBacks(List<Ended> group) {
        List<ClaimedJob> jobs = group.stream().map(Ended::job).toList();
        return table.setBack(jobs, group.stream().map(Ended::why).toList())
                .map(ours -> jobs.stream().map(job -> ours.contains(job.id())).toList());
    }

    /** After one another: a group has a connection of its own, and no more. */
    private static <R> Future<List<R>> oneByOne(List<?> items, Function<Integer, Future<R>> write) {
        Future<List<R>> all = Future.succeededFuture(new ArrayList<>());
        for (int i = 0; i < items.size(); i++) {
            int at = i;
            all = all.compose(sofar -> write.apply(at).map(result -> {
                sofar.add(result);
                return sofar;
            }));
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
