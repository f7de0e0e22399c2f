package io.recallgate.embedding;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Checks the files of models that somebody wants to serve: on worker threads, one at a time and in the order they were
 * asked for, so that the last who asks is the last to be answered. Confined to the pool's turns.
 */
final class ModelChecks {

    /** Waiting or running. More at once is not an operator. */
    static final int MAX_CHECKS = 8;

    private final Context context;
    private final Executor turns;
    private final Function<String, ModelIdentity> identify;
    private final Deque<Check> checks = new ArrayDeque<>();

    private record Check(String model, Promise<ModelIdentity> answer) {}

    /**
     * @param context whose worker threads check
     * @param turns what completes is told there
     * @param identify blocks; throws {@code model-unusable}
     */
    ModelChecks(Context context, Executor turns, Function<String, ModelIdentity> identify) {
        this.context = context;
        this.turns = turns;
        this.identify = identify;
    }

    /**
     * Which model this is.
     *
     * @return completes in a turn of the pool; fails with {@code invalid-field} about {@code model}, or with {@code
     *     overloaded}
     */
    Future<ModelIdentity> check(String model) {
        if (checks.size() >= MAX_CHECKS) {
            return Future.failedFuture(new FailureException(FailureCode.OVERLOADED, "too many models are being checked")
                    .retryAfter(Duration.ofSeconds(1)));
        }
        Check check = new Check(model, Promise.promise());
        checks.addLast(check);
        if (checks.size() == 1) {
            run(check);
        }
        return check.answer.future();
    }

    private void run(Check check) {
        OffLoop.run(context, () -> identify.apply(check.model))
                .onComplete(done -> turns.execute(() -> checked(check, done)));
    }

    private void checked(Check check, AsyncResult<ModelIdentity> done) {
        // The answer first: what follows from it comes before what follows from the next check.
        if (done.succeeded()) {
            check.answer.complete(done.result());
        } else {
            check.answer.fail(asField(FailureException.of(done.cause())));
        }
        checks.removeFirst();
        Check next = checks.peekFirst();
        if (next != null) {
            run(next);
        }
    }

    /** Whoever names a model that cannot be used has made the mistake, not the model that serves. */
    private static FailureException asField(FailureException failure) {
        return failure.code() == FailureCode.MODEL_UNUSABLE
                ? FailureException.ofField(FailureCode.INVALID_FIELD, "model", failure.detail())
                        .causedBy(failure)
                : failure;
    }
}
