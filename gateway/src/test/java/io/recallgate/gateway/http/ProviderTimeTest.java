package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.stream;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.upstream.ProviderUpstream;
import io.recallgate.gateway.conversation.upstream.UpstreamCall;
import io.recallgate.gateway.conversation.upstream.UpstreamListener;
import io.recallgate.gateway.conversation.upstream.UpstreamOptions;
import io.recallgate.gateway.conversation.upstream.UpstreamRequest;
import io.recallgate.time.FakeClock;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The bounds of a request to a provider, on a clock that only the test moves. */
@Timeout(300)
class ProviderTimeTest {

    private static final int FIRST_BYTE_MILLIS = 10_000;
    private static final int SILENCE_MILLIS = 1_000;

    private final FakeClock clock = new FakeClock();
    private final Vertx vertx = Vertx.vertx();
    private final UpstreamStub provider = new UpstreamStub();
    private final UpstreamOptions options =
            new UpstreamOptions(false, provider.url(), provider.url(), 5_000, FIRST_BYTE_MILLIS, SILENCE_MILLIS);
    private final ProviderUpstream upstream = new ProviderUpstream(vertx, 4, () -> options, clock, clock);
    private final Context context = vertx.getOrCreateContext();
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final CompletableFuture<HttpServerResponse> response = new CompletableFuture<>();

    @AfterEach
    void nothingIsLeft() {
        assertThat(heard).isEmpty();
        assertThat(clock.pending()).isZero();
        TestGateway.await(upstream.close());
        TestGateway.await(vertx.close());
        provider.close();
    }

    private UpstreamCall send() throws Exception {
        provider.answer = (request, answering) -> response.complete(answering);
        CompletableFuture<UpstreamCall> call = new CompletableFuture<>();
        context.runOnContext(turn -> call.complete(upstream.send(
                new UpstreamRequest(Protocol.OPENAI, "", HttpHeaders.headers(), List.of(Buffer.buffer("{}"))),
                new Recorder(heard))));
        return call.get(60, TimeUnit.SECONDS);
    }

    /** Waits until the event loop has done what it was given. */
    private void settle() {
        on(ignored -> {});
    }

    private void on(Consumer<Void> step) {
        Promise<Void> done = Promise.promise();
        context.runOnContext(turn -> {
            step.accept(null);
            done.complete();
        });
        TestGateway.await(done.future());
    }

    private record Recorder(BlockingQueue<String> heard) implements UpstreamListener {

        @Override
        public void head(int status, MultiMap headers) {
            heard.add("head " + status);
        }

        @Override
        public void piece(Buffer piece) {
            heard.add(piece.toString());
        }

        @Override
        public void end() {
            heard.add("end");
        }

        @Override
        public void failed(FailureException failure) {
            heard.add(failure.code().code());
        }
    }

    @Test
    void theFirstByteHasItsBoundFromTheConnectionOn() throws Exception {
        send();
        var request = provider.next();
        response.get(60, TimeUnit.SECONDS);
        settle();

        clock.advanceMillis(FIRST_BYTE_MILLIS - 1);
        settle();
        assertThat(heard).isEmpty();
        clock.advanceMillis(1);

        assertThat(Wire.next(heard)).isEqualTo(FailureCode.UPSTREAM_TIMEOUT.code());
        request.closed().get(60, TimeUnit.SECONDS);
    }

    @Test
    void eachPieceBeginsTheSilenceAnewAndTheEndEndsIt() throws Exception {
        send();
        HttpServerResponse answer = stream(response.get(60, TimeUnit.SECONDS));
        for (int i = 0; i < 3; i++) {
            answer.write("piece " + i);
            if (i == 0) {
                assertThat(Wire.next(heard)).isEqualTo("head 200");
            }
            assertThat(Wire.next(heard)).isEqualTo("piece " + i);
            clock.advanceMillis(SILENCE_MILLIS - 1);
            settle();
        }

        answer.end();

        assertThat(Wire.next(heard)).isEqualTo("end");
    }

    @Test
    void silenceBetweenPiecesIsATimeoutButNotWhileNobodyReads() throws Exception {
        UpstreamCall call = send();
        stream(response.get(60, TimeUnit.SECONDS)).write("piece");
        assertThat(Wire.next(heard)).isEqualTo("head 200");
        assertThat(Wire.next(heard)).isEqualTo("piece");

        on(turn -> call.pause());
        clock.advanceMillis(100L * SILENCE_MILLIS);
        settle();
        assertThat(heard).isEmpty();
        on(turn -> call.resume());
        clock.advanceMillis(SILENCE_MILLIS - 1);
        settle();
        assertThat(heard).isEmpty();
        clock.advanceMillis(SILENCE_MILLIS);

        assertThat(Wire.next(heard)).isEqualTo(FailureCode.UPSTREAM_TIMEOUT.code());
        provider.next().closed().get(60, TimeUnit.SECONDS);
    }

    @Test
    void aCallThatIsResetBeforeItHasAConnectionTellsNothingMore() throws Exception {
        CompletableFuture<UpstreamCall> call = new CompletableFuture<>();
        context.runOnContext(turn -> {
            UpstreamCall made = upstream.send(
                    new UpstreamRequest(Protocol.ANTHROPIC, "", HttpHeaders.headers(), List.of(Buffer.buffer("{}"))),
                    new Recorder(heard));
            made.reset();
            made.reset();
            call.complete(made);
        });
        call.get(60, TimeUnit.SECONDS);
        settle();

        assertThat(clock.pending()).isZero();
        assertThat(heard).isEmpty();
        // Another one uses the connection, or makes one: nothing of the first was sent.
        send();
        assertThat(provider.next().target()).isEqualTo("/v1/chat/completions");
        response.get(60, TimeUnit.SECONDS).end("x");
        assertThat(Wire.next(heard)).isEqualTo("head 200");
        assertThat(Wire.next(heard)).isEqualTo("x");
        assertThat(Wire.next(heard)).isEqualTo("end");
        assertThat(provider.received).isEmpty();
    }
}
