package io.recallgate.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FailureCodeTest {

    @Test
    void everyNumberIsUniqueAndInOurRange() {
        assertThat(Stream.of(FailureCode.values()).map(FailureCode::number))
                .doesNotHaveDuplicates()
                .allMatch(number -> number >= 1001 && number <= 1999);
    }

    @Test
    void everyCodeIsFoundByItsNumber() {
        for (FailureCode code : FailureCode.values()) {
            assertThat(FailureCode.ofNumber(code.number())).contains(code);
        }
        assertThat(FailureCode.ofNumber(-1)).isEmpty();
    }

    @Test
    void everyStatusIsAnErrorStatusAndTheNameIsKebabCase() {
        for (FailureCode code : FailureCode.values()) {
            assertThat(code.httpStatus()).isBetween(400, 599);
            assertThat(code.code()).matches("[a-z]+(-[a-z]+)*");
        }
    }

    @Test
    void anyOtherErrorIsInternalAndItsMessageStaysInside() {
        FailureException failure = FailureException.of(new IllegalStateException("secret"));
        assertThat(failure.code()).isEqualTo(FailureCode.INTERNAL);
        assertThat(failure.detail()).doesNotContain("secret");
        assertThat(failure.getCause()).hasMessage("secret");
        assertThat(failure.getStackTrace()).isEmpty();
    }
}
