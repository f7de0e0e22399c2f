package io.recallgate.gateway.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.BodyJson;
import io.recallgate.gateway.conversation.turn.MemoryUse;
import io.recallgate.gateway.conversation.turn.PassThrough;
import io.recallgate.gateway.conversation.turn.PhaseRun;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a body may be does not depend on whether memory is used. */
class BodyBoundsTest {

    private static final String TOO_LONG_NAME = "n".repeat(60_000);

    private final Vertx vertx = Vertx.vertx();
    private final ReadWorkers readers = new ReadWorkers(vertx, 1, 8);
    private final FakeClock clock = new FakeClock();

    /** Who reads bodies. */
    enum Reader {
        TRANSCRIPT,
        PASS_THROUGH
    }

    @AfterEach
    void close() throws TimeoutException {
        readers.close();
        vertx.close().await(20, TimeUnit.SECONDS);
    }

    private void read(Reader reader, String json) throws TimeoutException {
        RequestBody body = new RequestBody(Buffer.buffer(json).getBytes());
        if (reader == Reader.TRANSCRIPT) {
            Transcript.parse(Protocol.OPENAI, body);
            return;
        }
        Deadline lifetime = Deadline.afterMillis(clock, 1_000);
        new PassThrough(new JsonWorkers(readers, new VertxTimers(vertx)))
                .prepare(
                        new TurnRequest(
                                Protocol.OPENAI, Scope.LOCAL, null, MemoryUse.OFF, body, lifetime, new CancelSignal()),
                        new PhaseRun(clock, lifetime))
                .await(20, TimeUnit.SECONDS);
    }

    /** A request whose innermost array is so deep. */
    private static String nested(int levels) {
        int arrays = levels - 1;
        return "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"x\":" + "[".repeat(arrays) + "]".repeat(arrays)
                + "}";
    }

    @ParameterizedTest
    @EnumSource
    void theSameDepthIsTakenAndTheNextOneIsRefusedByName(Reader reader) throws Exception {
        read(reader, nested(BodyJson.MAX_DEPTH));

        assertThatThrownBy(() -> read(reader, nested(BodyJson.MAX_DEPTH + 1)))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.INVALID_JSON))
                .hasMessageContaining("nested deeper than 256 levels");
    }

    @ParameterizedTest
    @EnumSource
    void aNameThatIsTooLongIsNotCalledDepth(Reader reader) {
        assertThatThrownBy(() -> read(
                        reader, "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"" + TOO_LONG_NAME + "\":1}"))
                .isInstanceOf(FailureException.class)
                .hasMessageContaining("a name or a number is too long");
    }
}
