package io.recallgate.recall.jobs;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.jobs.JobTable.SetBack;
import io.recallgate.recall.metrics.RecallMetric;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One claimed job from its text to its end. Stateless but for its parts; never fails, its outcome says what happened. */
final class JobExecution {

    private static final Logger LOG = LoggerFactory.getLogger(JobExecution.class);

    /** Embedded to tell a poisonous text from a broken provider; any provider that works embeds it. */
    static final String CANARY = "Is anybody there?";

    private final PassageEmbedder passages;
    private final OutcomeWriter outcomes;
    private final Supplier<RecallSettings> settings;
    private final Context context;

    /**
     * What else it goes by.
     *
     * @param random jitter
     * @param troubles says what the database did not take
     * @param failed told of jobs that failed for good
     * @param incomplete counts memories with text that no vector stands for
     */
    record Context(RandomGenerator random, TroubleLog troubles, FailedJobs failed, Counter incomplete) {
        static Context of(RandomGenerator random, TroubleLog troubles, FailedJobs failed, MeterRegistry meters) {
            return new Context(random, troubles, failed, RecallMetric.JOBS_INCOMPLETE.counter(meters));
        }
    }

    /** How an attempt ended. */
    enum Outcome {
        /** The vector is committed. */
        DONE,
        /** What it was made for is gone; nothing was committed. */
        DROPPED,
        /** It waits for another attempt. */
        RETRY,
        /** It failed for good. */
        FAILED,
        /** The provider is in trouble; the job waits and keeps its attempts. */
        PROVIDER_TROUBLE,
        /** A thread is still out with its text. Nothing was written: the job is ours, and is to be run again later. */
        QUARANTINED,
        /** We gave it up; whatever is still under our name goes back with the next claim. */
        ABANDONED,
        /** The database did not take the outcome; if the job is still ours, it goes back with the next claim. */
        UNKNOWN;

        /** For metrics: {@code provider_trouble}. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    JobExecution(PassageEmbedder passages, OutcomeWriter outcomes, Supplier<RecallSettings> settings, Context context) {
        this.passages = passages;
        this.outcomes = outcomes;
        this.settings = settings;
        this.context = context;
    }

    /**
     * Runs the job; {@code cancel} gives it up.
     *
     * @param atWriting told when the embedder is done with it and only its commit is left
     */
    Future<Outcome> run(ClaimedJob job, CancelSignal cancel, Runnable atWriting) {
        outcomes.begun();
        return passages.embed(job, cancel)
                .onSuccess(ignored -> atWriting.run())
                .compose(
                        embedded -> {
                            Future<Outcome> written =
                                    embedded.isPresent() ? commit(embedded.get(), cancel) : replaced(job);
                            outcomes.ended();
                            return written;
                        },
                        error -> {
                            outcomes.ended();
                            return failed(job, FailureException.of(error), cancel);
                        })
                .otherwise(error -> {
                    context.troubles().trouble("the outcome of job " + job.id() + " was not taken", error);
                    return Outcome.UNKNOWN;
                });
    }

    private Future<Outcome> commit(EmbeddedJob embedded, CancelSignal cancel) {
        ClaimedJob job = embedded.job();
        return outcomes.commit(embedded, cancel).compose(written -> switch (written.fate()) {
            case DONE -> {
                tellIncomplete(embedded);
                yield Future.succeededFuture(Outcome.DONE);
            }
            case GONE -> Future.succeededFuture(Outcome.DROPPED);
            case GIVEN_UP -> Future.succeededFuture(Outcome.ABANDONED);
            // Not a failure of the text, but of what is made of it: without a count it would come back for ever.
            case REFUSED ->
                counted(
                        job,
                        Objects.requireNonNull(written.failure()),
                        settings.get().jobMaxAttempts());
            case NO_MODEL -> providerTrouble(job, Objects.requireNonNull(written.failure()));
            case LOCKED -> locked(job);
        });
    }

    private void tellIncomplete(EmbeddedJob embedded) {
        if (embedded.isIncomplete()) {
            context.incomplete().increment();
            LOG.warn(
                    "memory {} is longer than {} passages hold, or has text that no passage holds whole: the rest of"
                            + " it is found by its words only",
                    embedded.job().memoryId(),
                    PassageEmbedder.MAX_PASSAGES);
        }
    }

    private Future<Outcome> locked(ClaimedJob job) {
        LOG.warn(
                "memory {} has been locked by somebody for as long as a lease: its job runs again later",
                job.memoryId());
        SetBack why = new SetBack(false, false, waitMillis(1), FailureCode.CONFLICT.code(), "the memory is locked");
        return outcomes.setBack(job, why).map(Outcome.RETRY);
    }

    /** Its vectors would be of two models. */
    private Future<Outcome> replaced(ClaimedJob job) {
        return outcomes.release(job).map(Outcome.DROPPED);
    }

    private Future<Outcome> failed(ClaimedJob job, FailureException failure, CancelSignal cancel) {
        return switch (Verdict.of(failure.code())) {
            case ABANDONED -> Future.succeededFuture(Outcome.ABANDONED);
            case QUARANTINED -> Future.succeededFuture(Outcome.QUARANTINED);
            case PROVIDER -> providerTrouble(job, failure);
            case HOPELESS -> counted(job, failure, 0);
            case SUSPECT ->
                passages.embed("canary-" + job.id() + "-" + job.attempt(), List.of(CANARY), cancel)
                        .transform(canary -> canary.succeeded()
                                ? counted(job, failure, settings.get().jobMaxAttempts())
                                : providerTrouble(job, failure));
        };
    }

    private Future<Outcome> counted(ClaimedJob job, FailureException failure, int maxFailures) {
        int failures = job.failures() + 1;
        boolean last = failures >= maxFailures;
        if (last) {
            LOG.warn(
                    "job {} of memory {} failed for good after {} attempts: {}",
                    job.id(),
                    job.memoryId(),
                    job.attempt(),
                    failure.code().code());
        }
        SetBack why =
                new SetBack(last, true, waitMillis(failures), failure.code().code(), failure.detail());
        return outcomes.setBack(job, why).map(ours -> {
            if (ours && last) {
                context.failed().failed(job.id(), job.memoryId(), failure.code().code());
            }
            return !ours ? Outcome.DROPPED : last ? Outcome.FAILED : Outcome.RETRY;
        });
    }

    private Future<Outcome> providerTrouble(ClaimedJob job, FailureException failure) {
        SetBack why = new SetBack(false, false, waitMillis(1), failure.code().code(), failure.detail());
        return outcomes.setBack(job, why).map(Outcome.PROVIDER_TROUBLE);
    }

    /** How long to wait after so many failures in a row. */
    long waitMillis(int failures) {
        RecallSettings now = settings.get();
        return Backoff.millis(failures, now.jobBackoffBaseMillis(), now.jobBackoffMaxMillis(), context.random());
    }
}
