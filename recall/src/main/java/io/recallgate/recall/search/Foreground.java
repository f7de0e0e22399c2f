package io.recallgate.recall.search;

import io.recallgate.caller.Caller;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Knows how many recalls are under way, so that work which nobody waits for can give way to them: on few cores it is the
 * database and the analysis of what an import stores that a recall waits for, more than for any vector. Thread-safe.
 */
public final class Foreground {

    /**
     * How long work gives way at a time, however many recalls follow each other: some recalls beside an import, and an
     * import among recalls without a pause still stores faster than two cores embed.
     */
    static final long MAX_WAIT_MILLIS = 250;

    private final Timers timers;
    /** Guarded by this, as is the following. */
    private int underWay;

    private List<Promise<Void>> waiting = new ArrayList<>();

    /** Of no recall so far. */
    public Foreground(Timers timers) {
        this.timers = timers;
    }

    /** The same service, whose recalls count. */
    public RecallService counted(RecallService recall) {
        return new RecallService() {
            @Override
            public Future<RecallResponse> recall(Scope scope, RecallRequest request) {
                synchronized (Foreground.this) {
                    underWay++;
                }
                Future<RecallResponse> answer;
                try {
                    answer = recall.recall(scope, request);
                } catch (RuntimeException | Error e) {
                    ended();
                    throw e;
                }
                return answer.onComplete(ignored -> ended());
            }
        };
    }

    /** Completes on the caller's context once no recall is under way, or work has given way for long enough. Never fails. */
    public Future<Void> giveWay() {
        Promise<Void> quiet = Caller.promise();
        synchronized (this) {
            if (underWay == 0) {
                return Future.succeededFuture();
            }
            waiting.add(quiet);
        }
        Timers.Timer bound = timers.schedule(TimeUnit.MILLISECONDS.toNanos(MAX_WAIT_MILLIS), () -> {
            synchronized (this) {
                waiting.remove(quiet);
            }
            quiet.tryComplete();
        });
        return quiet.future().onComplete(ignored -> bound.cancel());
    }

    private void ended() {
        List<Promise<Void>> quiet;
        synchronized (this) {
            if (--underWay > 0) {
                return;
            }
            quiet = waiting;
            waiting = new ArrayList<>();
        }
        quiet.forEach(Promise::tryComplete);
    }
}
