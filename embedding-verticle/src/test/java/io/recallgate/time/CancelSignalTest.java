package io.recallgate.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CancelSignalTest {

    private final List<CancelCause> heard = new ArrayList<>();
    private final CancelSignal signal = new CancelSignal();

    @Test
    void firesOnceAndTheFirstCauseWins() {
        signal.onCancel(heard::add);
        assertThat(signal.cancel(CancelCause.DISCONNECTED)).isTrue();
        assertThat(signal.cancel(CancelCause.DEADLINE)).isFalse();
        assertThat(heard).containsExactly(CancelCause.DISCONNECTED);
        assertThat(signal.cause()).isEqualTo(CancelCause.DISCONNECTED);
    }

    @Test
    void aListenerRegisteredAfterTheAbortRunsAtOnce() {
        signal.cancel(CancelCause.CALLER);
        signal.onCancel(heard::add);
        assertThat(heard).containsExactly(CancelCause.CALLER);
    }

    @Test
    void aRemovedListenerHearsNothing() {
        CancelSignal.Registration registration = signal.onCancel(heard::add);
        registration.remove();
        signal.cancel(CancelCause.CALLER);
        registration.remove();
        assertThat(heard).isEmpty();
    }

    @Test
    void aListenerThatThrowsKeepsTheCancellationFromNobodyElse() {
        signal.onCancel(cause -> {
            throw new IllegalStateException("a listener failed, as it does on a context that is gone");
        });
        signal.onCancel(cause -> {
            throw new NoClassDefFoundError("another one failed");
        });
        signal.onCancel(heard::add);

        assertThat(signal.cancel(CancelCause.DISCONNECTED)).isTrue();

        assertThat(heard).containsExactly(CancelCause.DISCONNECTED);
    }

    @Test
    void whetherAListenerThatThrowsCameBeforeOrAfterMakesNoDifferenceToWhoeverRegistersIt() {
        signal.cancel(CancelCause.CALLER);

        signal.onCancel(cause -> {
            heard.add(cause);
            throw new IllegalStateException("a listener failed");
        });

        assertThat(heard).containsExactly(CancelCause.CALLER);
    }
}
