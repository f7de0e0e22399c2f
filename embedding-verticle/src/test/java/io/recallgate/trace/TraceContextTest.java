package io.recallgate.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The header as W3C Trace Context has it. */
class TraceContextTest {

    private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void aTraceGoesOnWithItsIdAndFlagUnderASpanOfItsOwn() {
        TraceContext caller =
                TraceContext.parse(List.of(VALID), List.of("a=1", "b=2")).orElseThrow();

        assertThat(caller.traceparent()).isEqualTo(VALID);
        TraceContext child = caller.child();
        assertThat(child.traceId()).isEqualTo(caller.traceId());
        assertThat(child.spanId()).isNotEqualTo(caller.spanId()).matches("[0-9a-f]{16}");
        assertThat(child.traceparent())
                .startsWith("00-4bf92f3577b34da6a3ce929d0e0e4736-")
                .endsWith("-01");
        assertThat(child.state()).isEqualTo("a=1,b=2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x"
            })
    void whatIsNotValidIsNone(String header) {
        assertThat(TraceContext.parse(List.of(header), List.of())).isEmpty();
    }

    @Test
    void noneAndTwoAreNone() {
        assertThat(TraceContext.parse(List.of(), List.of("a=1"))).isEmpty();
        assertThat(TraceContext.parse(List.of(VALID, VALID), List.of())).isEmpty();
    }

    @Test
    void aLaterVersionMayHaveMoreAndFlagsThatWeDoNotKnowAreNotPassedOn() {
        assertThat(TraceContext.parse(List.of("01" + VALID.substring(2, 53) + "03-more"), List.of()))
                .map(TraceContext::traceparent)
                .contains(VALID);
    }

    @Test
    void aStateThatIsTooLongOrNotPrintableIsDroppedAlone() {
        assertThat(TraceContext.parse(List.of(VALID), List.of("a=" + "x".repeat(511))))
                .map(TraceContext::state)
                .contains("");
        assertThat(TraceContext.parse(List.of(VALID), List.of("a=\u00e4")))
                .map(TraceContext::state)
                .contains("");
    }

    @Test
    void aFreshOneIsValidAndNotSampled() {
        TraceContext fresh = TraceContext.fresh();

        assertThat(TraceContext.parse(List.of(fresh.traceparent()), List.of())).contains(fresh);
        assertThat(fresh.traceparent()).endsWith("-00");
        assertThat(TraceContext.fresh()).isNotEqualTo(fresh);
    }
}
