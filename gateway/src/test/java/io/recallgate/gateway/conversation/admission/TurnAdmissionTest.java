package io.recallgate.gateway.conversation.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.admission.TurnAdmission.Place;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TurnAdmissionTest {

    private final FakeClock clock = new FakeClock();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final TurnAdmission admission =
            new TurnAdmission(new AdmissionLimits(1, 1, 1, 2, 2, 2, 1_000), clock, clock, registry);

    @AfterEach
    void nothingIsLeft() {
        assertThat(clock.pending()).isZero();
        assertThat(registry.get("recallgate.turn.active").gauge().value()).isZero();
        assertThat(registry.get("recallgate.turn.waiting").gauge().value()).isZero();
    }

    private Future<Place> ask(CancelSignal cancel) {
        return admission.admit(Scope.LOCAL, "s", cancel);
    }

    private static FailureException failure(Future<Place> asked) {
        return (FailureException) asked.cause();
    }

    private double refused(String reason) {
        return registry.get("recallgate.turn.refused")
                .tag("reason", reason)
                .counter()
                .count();
    }

    @Test
    void aPlaceIsReleasedOnceHoweverOftenItIsSaid() {
        Place first = ask(new CancelSignal()).result();
        Future<Place> second = ask(new CancelSignal());
        Future<Place> third = ask(new CancelSignal());
        assertThat(second.isComplete()).isFalse();

        first.release();
        first.release();

        assertThat(second.succeeded()).isTrue();
        assertThat(third.isComplete()).isFalse();
        second.result().release();
        third.result().release();
    }

    @Test
    void theNextOneIsRefusedWithAHintAndSoIsWhoHasWaitedForLong() {
        Place first = ask(new CancelSignal()).result();
        Future<Place> second = ask(new CancelSignal());
        Future<Place> third = ask(new CancelSignal());

        FailureException full = failure(ask(new CancelSignal()));
        clock.advanceMillis(999);
        assertThat(second.isComplete()).isFalse();
        clock.advanceMillis(1);

        assertThat(full.code()).isEqualTo(FailureCode.OVERLOADED);
        assertThat(full.retryAfter()).isNotNull();
        assertThat(failure(second).code()).isEqualTo(FailureCode.OVERLOADED);
        assertThat(failure(third).code()).isEqualTo(FailureCode.OVERLOADED);
        assertThat(refused("session-full")).isEqualTo(1);
        assertThat(refused("waited")).isEqualTo(2);
        assertThat(registry.get("recallgate.turn.wait.duration").timer().count())
                .isEqualTo(1);
        first.release();
    }

    @Test
    void whoLeavesWhileWaitingIsToldAndLetsTheNextOneIn() {
        Place first = ask(new CancelSignal()).result();
        CancelSignal leaving = new CancelSignal();
        Future<Place> second = ask(leaving);
        Future<Place> third = ask(new CancelSignal());

        leaving.cancel(CancelCause.DISCONNECTED);

        assertThat(failure(second).code()).isEqualTo(FailureCode.CANCELLED);
        first.release();
        third.result().release();
    }

    @Test
    void whoHadLeftBeforeHeAskedHasNoPlaceWhereOneMustWait() {
        Place first = ask(new CancelSignal()).result();
        CancelSignal gone = new CancelSignal();
        gone.cancel(CancelCause.DEADLINE);

        assertThat(failure(ask(gone)).code()).isEqualTo(FailureCode.CANCELLED);
        first.release();
    }
}
