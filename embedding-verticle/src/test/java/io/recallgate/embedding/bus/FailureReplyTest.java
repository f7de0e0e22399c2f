package io.recallgate.embedding.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.eventbus.impl.codecs.ReplyExceptionMessageCodec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureReplyTest {

    /** Between nodes a reply's failure is written by Vert.x itself, which keeps its type, number and message. */
    @Test
    void aFailureIsTheSameAfterTheWireOfTheBus() {
        ReplyExceptionMessageCodec bus = new ReplyExceptionMessageCodec();
        for (FailureCode code : FailureCode.values()) {
            FailureException sent = FailureException.ofField(code, "texts[3]", "was “wrong” – テスト")
                    .retryAfter(Duration.ofMillis(1_500))
                    .abandoned();
            Buffer wire = Buffer.buffer();
            bus.encodeToWire(
                    wire,
                    new ReplyException(
                            ReplyFailure.RECIPIENT_FAILURE,
                            code.number(),
                            FailureReply.encode(sent).encode()));

            FailureException read = FailureReply.decode(bus.decodeFromWire(0, wire), FailureCode.EMBEDDING_UNAVAILABLE);

            assertThat(read.code()).isEqualTo(code);
            assertThat(read.detail()).isEqualTo(sent.detail());
            assertThat(read.field()).isEqualTo("texts[3]");
            assertThat(read.retryAfter()).isEqualTo(Duration.ofMillis(1_500));
            assertThat(read.isAbandoned()).isTrue();
        }
    }

    @Test
    void whatSaysNothingIsLeftOut() {
        FailureException plain = new FailureException(FailureCode.CANCELLED, "the caller cancelled");

        assertThat(FailureReply.encode(plain).getMap()).containsOnlyKeys("code", "detail");
        assertThat(decode(FailureReply.encode(plain).encode()).retryAfter()).isNull();
        assertThat(decode(FailureReply.encode(plain).encode()).isAbandoned()).isFalse();
    }

    @Test
    void aBodyThatIsNotOursLeavesTheNumberWhichStillTells() {
        assertThat(decode("not JSON").code()).isEqualTo(FailureCode.OVERLOADED);
        assertThat(decode(null).detail()).isEqualTo("overloaded");
        FailureException odd = decode("{\"detail\":5,\"field\":[],\"retry_after_ms\":\"soon\"}");
        assertThat(odd.code()).isEqualTo(FailureCode.OVERLOADED);
        assertThat(odd.detail()).isEqualTo("overloaded");
        assertThat(odd.field()).isNull();
        assertThat(odd.retryAfter()).isNull();
        assertThat(decode("{\"retry_after_ms\":-5}").retryAfter()).isNull();
    }

    private static FailureException decode(@Nullable String message) {
        return FailureReply.decode(
                new ReplyException(ReplyFailure.RECIPIENT_FAILURE, FailureCode.OVERLOADED.number(), message),
                FailureCode.EMBEDDING_UNAVAILABLE);
    }
}
