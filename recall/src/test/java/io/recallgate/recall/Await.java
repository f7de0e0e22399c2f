package io.recallgate.recall;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.Future;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Lets a test's thread wait for asynchronous results, always with a bound. */
public final class Await {

    private static final long BOUND_SECONDS = 60;

    private Await() {}

    /** The result; a failure is thrown as it is. */
    public static <T> T result(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("no result within " + BOUND_SECONDS + " s", e);
        }
    }

    /** The same future once it has a result or a failure. */
    public static <T> Future<T> settled(Future<T> future) {
        result(future.transform(ignored -> Future.succeededFuture()));
        return future;
    }

    /** The failure, which must have this code. */
    public static FailureException failure(Future<?> future, FailureCode code) {
        try {
            Object result = result(future);
            throw new AssertionError("expected " + code + " but got " + result);
        } catch (FailureException e) {
            assertThat(e.code()).as(e.detail()).isEqualTo(code);
            return e;
        }
    }

    /** Polls a condition that itself takes time, such as a query. */
    public static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(BOUND_SECONDS)) {
                throw new AssertionError("not within " + BOUND_SECONDS + " s: " + what);
            }
            LockSupport.parkNanos(100_000);
        }
    }
}
