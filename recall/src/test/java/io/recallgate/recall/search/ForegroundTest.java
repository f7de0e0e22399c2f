package io.recallgate.recall.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ForegroundTest {

    private static final Scope SCOPE = new Scope("alice", "atlas");

    private final FakeClock clock = new FakeClock();
    private final List<Promise<RecallResponse>> recalls = new ArrayList<>();
    private final Foreground foreground = new Foreground(clock);
    private final RecallService service = foreground.counted((scope, request) -> {
        Promise<RecallResponse> answer = Promise.promise();
        recalls.add(answer);
        return answer.future();
    });

    @AfterEach
    void noTimerIsLeft() {
        assertThat(clock.pending()).isZero();
    }

    @Test
    void nothingIsWaitedForWhereNoRecallIsUnderWay() {
        assertThat(foreground.giveWay().succeeded()).isTrue();

        recall();
        recalls.get(0).fail("no matter how it ends");

        assertThat(foreground.giveWay().succeeded()).isTrue();
    }

    @Test
    void workGivesWayUntilTheLastRecallHasEnded() {
        recall();
        Future<Void> work = foreground.giveWay();
        recall();
        Future<Void> more = foreground.giveWay();

        recalls.get(0).fail("ended");
        assertThat(work.isComplete()).isFalse();

        recalls.get(1).fail("ended");
        assertThat(work.succeeded()).isTrue();
        assertThat(more.succeeded()).isTrue();
    }

    @Test
    void recallsWithoutAPauseHoldUpWorkForABoundedTime() {
        recall();
        Future<Void> work = foreground.giveWay();

        clock.advanceMillis(Foreground.MAX_WAIT_MILLIS - 1);
        assertThat(work.isComplete()).isFalse();
        clock.advanceMillis(1);
        assertThat(work.succeeded()).isTrue();

        recalls.get(0).fail("ended, which nobody waits for any more");
    }

    @Test
    void aRecallThatThrowsIsNotUnderWay() {
        RecallService broken = foreground.counted((scope, request) -> {
            throw new IllegalStateException("broken");
        });

        assertThatThrownBy(() -> broken.recall(SCOPE, request())).hasMessage("broken");

        assertThat(foreground.giveWay().succeeded()).isTrue();
    }

    private void recall() {
        service.recall(SCOPE, request()).onComplete(ignored -> {});
    }

    private RecallRequest request() {
        return new RecallRequest(
                "kettle",
                RecallMode.HYBRID,
                RecallRequest.DEFAULT_LIMIT,
                null,
                Set.of(),
                false,
                Deadline.afterMillis(clock, 1_000),
                new CancelSignal());
    }
}
