package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The log by which kills are judged must itself see what is wrong. */
class ChaosLogTest {

    private final ChaosLog log = new ChaosLog();

    @Test
    void whatWasAcknowledgedMustBeThereAsItWasAcknowledgedLast() {
        log.sent(Map.of("a", "one"));
        log.acknowledged(Map.of("a", "one"), Map.of("a", "id"));
        log.sent(Map.of("a", "two"));
        log.acknowledged(Map.of("a", "two"), Map.of("a", "id"));

        assertThat(log.differences(Map.of("a", List.of("two")))).isEmpty();
        assertThat(log.differences(Map.of("a", List.of("one")))).hasSize(1);
        assertThat(log.differences(Map.of())).hasSize(1);
        assertThat(log.differences(Map.of("a", List.of("two", "two")))).hasSize(1);
    }

    @Test
    void withoutAnAnswerBothStatesAreFine() {
        log.sent(Map.of("a", "one"));

        assertThat(log.differences(Map.of())).isEmpty();
        assertThat(log.differences(Map.of("a", List.of("one")))).isEmpty();
        assertThat(log.differences(Map.of("a", List.of("two")))).hasSize(1);
    }

    @Test
    void aNodeThatSleptMayStillDoWhatGotNoAnswer() {
        ChaosLog sleepers = ChaosLog.ofSleepers();
        for (ChaosLog one : List.of(log, sleepers)) {
            one.sent(Map.of("a", "one"));
            one.acknowledged(Map.of("a", "one"), Map.of("a", "id"));
            one.sent(Map.of("a", "two"));
            one.sent(Map.of("a", "three"));
            one.acknowledged(Map.of("a", "three"), Map.of("a", "id"));
        }

        assertThat(sleepers.differences(Map.of("a", List.of("three")))).isEmpty();
        assertThat(sleepers.differences(Map.of("a", List.of("two")))).isEmpty();
        assertThat(sleepers.differences(Map.of("a", List.of("one")))).hasSize(1);
        assertThat(log.differences(Map.of("a", List.of("two")))).hasSize(1);
    }

    @Test
    void whatWasDeletedMustStayAway() {
        log.sent(Map.of("a", "one"));
        log.acknowledged(Map.of("a", "one"), Map.of("a", "id"));
        log.sent(Map.of("a", ChaosLog.ABSENT));
        log.acknowledged(Map.of("a", ChaosLog.ABSENT), Map.of());

        assertThat(log.differences(Map.of())).isEmpty();
        assertThat(log.differences(Map.of("a", List.of("one")))).hasSize(1);
    }

    @Test
    void nothingIsThereThatWasNeverSent() {
        assertThat(log.differences(Map.of("ghost", List.of("boo")))).hasSize(1);
    }
}
