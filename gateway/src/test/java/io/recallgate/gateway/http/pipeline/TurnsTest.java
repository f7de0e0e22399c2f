package io.recallgate.gateway.http.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.recallgate.time.FakeClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One request at a time, what is kept meanwhile, and when reading stops and goes on. */
class TurnsTest {

    private static final int HALF = SentAhead.MAX_BYTES / 2;

    private final FakeClock clock = new FakeClock();
    private final Turns turns = new Turns(clock);
    private final EmbeddedChannel channel = new EmbeddedChannel(turns);
    private final List<ByteBuf> bodies = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
        assertThat(clock.pending()).isZero();
        assertThat(bodies).allSatisfy(body -> assertThat(body.refCnt()).isZero());
    }

    @Test
    void oneRequestIsPassedOnAndTheNextWhenItsAnswerHasEnded() {
        get("/1");
        get("/2");
        get("/3");
        assertThat(passed()).containsExactly("/1", "end");

        answer();
        assertThat(passed()).containsExactly("/2", "end");
        answer();
        assertThat(passed()).containsExactly("/3", "end");
        answer();
        get("/4");
        assertThat(passed()).containsExactly("/4", "end");
    }

    @Test
    void anAnswerInPiecesEndsWithItsLastAndAnInterimOneIsNone() {
        get("/1");
        get("/2");
        passed();

        channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
        channel.writeOutbound(new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        channel.writeOutbound(new DefaultHttpContent(Unpooled.EMPTY_BUFFER));
        assertThat(passed()).isEmpty();

        channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);
        assertThat(passed()).containsExactly("/2", "end");
    }

    @Test
    void theBodyOfTheRequestWhoseTurnItIsIsNoneOfItsBusiness() {
        read(head("/1"), body(HALF), body(HALF), body(HALF));
        answer();
        read(body(HALF), LastHttpContent.EMPTY_LAST_CONTENT);

        assertThat(passed()).containsExactly("/1", "body", "body", "body", "body", "end");
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void reachingTheBoundStopsReadingUntilTheAnswer() {
        get("/1");
        read(head("/2"), body(HALF));
        assertThat(channel.config().isAutoRead()).isTrue();
        read(body(HALF));
        assertThat(channel.config().isAutoRead()).isFalse();
        passed();

        answer();

        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(passed()).containsExactly("/2", "body", "body");
        read(body(HALF), LastHttpContent.EMPTY_LAST_CONTENT);
        assertThat(passed()).containsExactly("body", "end");
        assertThat(clock.pending()).isZero();
    }

    @Test
    void readingStopsAtOnceAndNotAtTheEndOfARead() {
        get("/1");
        channel.writeOneInbound(head("/2"));
        channel.writeOneInbound(body(2 * HALF));

        assertThat(channel.config().isAutoRead()).isFalse();
    }

    @Test
    void tinyPiecesCountForMoreThanTheirBytes() {
        get("/1");
        channel.writeInbound(head("/2"));
        for (int i = 0; i < 256; i++) {
            read(body(1));
        }

        assertThat(channel.config().isAutoRead()).isFalse();
    }

    @Test
    void headersCountToo() {
        get("/1");
        HttpRequest request = head("/2");
        request.headers().set("x", "y".repeat(2 * HALF));
        read(request);

        assertThat(channel.config().isAutoRead()).isFalse();
    }

    @Test
    void patienceIsForOneAnswerAndBeginsAnewWithTheNext() {
        get("/1");
        read(head("/2"), body(2 * HALF), LastHttpContent.EMPTY_LAST_CONTENT);
        read(head("/3"), body(2 * HALF), LastHttpContent.EMPTY_LAST_CONTENT);
        passed();
        clock.advanceMillis(Turns.PATIENCE_MILLIS - 1);
        run();
        answer();
        assertThat(channel.config().isAutoRead()).isFalse();

        clock.advanceMillis(Turns.PATIENCE_MILLIS - 1);
        run();
        assertThat(channel.config().isAutoRead()).isFalse();
        clock.advanceMillis(1);
        run();
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void aTimerThatIsLateDoesNotEndThePatienceWithTheNextAnswer() {
        List<Runnable> due = new ArrayList<>();
        // Their time has come when they are cancelled.
        EmbeddedChannel other = new EmbeddedChannel(new Turns((delayNanos, task) -> {
            due.add(task);
            return () -> false;
        }));
        for (String uri : List.of("/1", "/2", "/3")) {
            other.writeInbound(head(uri), body(2 * HALF), LastHttpContent.EMPTY_LAST_CONTENT);
        }
        other.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        other.runPendingTasks();
        assertThat(due).hasSize(2);

        due.get(0).run();
        other.runPendingTasks();
        assertThat(other.config().isAutoRead()).isFalse();

        due.get(1).run();
        other.runPendingTasks();
        assertThat(other.config().isAutoRead()).isTrue();
        other.finishAndReleaseAll();
    }

    @Test
    void whatIsThereWholeIsKeptAndTheOneThatLosesAPartIsRefused() {
        get("/1");
        get("/2");
        read(head("/3"), body(2 * HALF));
        outOfPatience();
        read(body(HALF), LastHttpContent.EMPTY_LAST_CONTENT);
        get("/4");
        passed();

        answer();
        assertThat(passed()).containsExactly("/2", "end");
        assertThat(turns.refusing()).isFalse();
        answer();
        assertThat(passed()).containsExactly("/3");
        assertThat(turns.refusing()).isTrue();
        answer();
        get("/5");
        assertThat(passed()).isEmpty();
    }

    @Test
    void aRequestThatBeginsAboveTheBoundIsTheRefusedOne() {
        get("/1");
        read(head("/2"), body(2 * HALF), LastHttpContent.EMPTY_LAST_CONTENT);
        outOfPatience();
        get("/3");
        get("/4");
        passed();

        answer();
        assertThat(passed()).containsExactly("/2", "body", "end");
        assertThat(turns.refusing()).isFalse();
        answer();
        assertThat(passed()).containsExactly("/3");
        assertThat(turns.refusing()).isTrue();
    }

    @Test
    void withoutMoreToReadNothingIsRefusedAfterPatience() {
        get("/1");
        read(head("/2"), body(2 * HALF));
        outOfPatience();
        passed();

        answer();
        read(body(HALF), LastHttpContent.EMPTY_LAST_CONTENT);

        assertThat(passed()).containsExactly("/2", "body", "body", "end");
        assertThat(turns.refusing()).isFalse();
    }

    @Test
    void whatIsDroppedIsNotKept() {
        get("/1");
        read(head("/2"), body(2 * HALF));
        outOfPatience();
        for (int i = 0; i < 100; i++) {
            read(body(HALF));
        }

        assertThat(bodies).allSatisfy(body -> assertThat(body.refCnt()).isZero());
        assertThat(channel.config().isAutoRead()).isTrue();
        passed();
    }

    @Test
    void aConnectionThatEndsLetsGoOfEverything() {
        get("/1");
        read(head("/2"), body(2 * HALF));
        passed();

        channel.close();

        assertThat(bodies).allSatisfy(body -> assertThat(body.refCnt()).isZero());
        assertThat(clock.pending()).isZero();
    }

    @Test
    void whatIsNoHttpWaitsForItsTurnLikeARequest() {
        get("/1");
        HttpRequest bad = head("/bad");
        bad.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("no HTTP")));
        read(bad);
        get("/3");
        assertThat(passed()).containsExactly("/1", "end");

        answer();

        assertThat(passed()).containsExactly("/bad");
        assertThat(turns.refusing()).isFalse();
    }

    /** Vert.x stops reading for a body that is taken slowly, and switches it on again itself. */
    @Test
    void readingThatVertxStoppedIsNotSwitchedOnForIt() {
        AtomicBoolean slow = new AtomicBoolean();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelReadComplete(ChannelHandlerContext ctx) {
                if (slow.get()) {
                    ctx.channel().config().setAutoRead(false);
                }
            }
        });
        get("/1");
        slow.set(true);
        read(head("/2"), body(2 * HALF), LastHttpContent.EMPTY_LAST_CONTENT);
        slow.set(false);
        assertThat(clock.pending()).isZero();
        passed();

        answer();

        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(passed()).containsExactly("/2", "body", "end");
    }

    private void outOfPatience() {
        assertThat(channel.config().isAutoRead()).isFalse();
        clock.advanceMillis(Turns.PATIENCE_MILLIS);
        run();
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    private void run() {
        channel.runPendingTasks();
    }

    private void get(String uri) {
        read(head(uri), LastHttpContent.EMPTY_LAST_CONTENT);
    }

    private void read(Object... messages) {
        channel.writeInbound(messages);
    }

    private void answer() {
        channel.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        run();
    }

    private static HttpRequest head(String uri) {
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, uri);
    }

    private DefaultHttpContent body(int bytes) {
        ByteBuf body = Unpooled.buffer(bytes).writeZero(bytes);
        bodies.add(body);
        return new DefaultHttpContent(body);
    }

    /** What has reached the other side since the last call. */
    private List<String> passed() {
        List<String> passed = new ArrayList<>();
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            if (message instanceof HttpRequest request) {
                passed.add(request.uri());
            } else {
                passed.add(message == LastHttpContent.EMPTY_LAST_CONTENT ? "end" : "body");
            }
            ReferenceCountUtil.release(message);
        }
        return passed;
    }
}
