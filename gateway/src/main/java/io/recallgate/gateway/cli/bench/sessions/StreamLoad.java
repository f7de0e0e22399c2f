package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.bench.ChildGateway;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Many paced streams at once, of which every byte is compared. Used by one thread. */
final class StreamLoad {

    private static final long LOOK_EVERY_MILLIS = 200;
    /** Of the time that the streams take: after it memory is to grow no more. */
    private static final double WARM_SHARE = 1.0 / 3;

    private final BenchContext context;
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger broken = new AtomicInteger();
    private final AtomicLong events = new AtomicLong();

    StreamLoad(BenchContext context) {
        this.context = context;
    }

    /**
     * What came.
     *
     * @param events that arrived, of all streams
     * @param broken streams that were refused, ended early or had another byte than they should
     * @param residentAtThirdBytes of the gateway when a third of the time was over; 0 where there is no /proc
     * @param residentAtEndBytes just before they ended
     */
    record Streamed(long events, int broken, long residentAtThirdBytes, long residentAtEndBytes) {}

    /** Runs all and waits for all. */
    Streamed run(ChildGateway gateway, URI url, RelayBench.Plan plan) {
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        try (Progress progress = new Progress(context.screen(), context.clock(), "streams")) {
            HttpClient client = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(plan.streams()));
            int count = Math.max(1, plan.seconds() * 1_000 / plan.everyMillis());
            long began = context.clock().nanoTime();
            for (int i = 0; i < plan.streams(); i++) {
                begin(client, url, i, count, plan.everyMillis());
            }
            long third = 0;
            long last = 0;
            while (ended.get() < plan.streams()) {
                progress.show(events.get(), (long) count * plan.streams(), "events");
                context.pauses().pauseMillis(LOOK_EVERY_MILLIS);
                if (Thread.currentThread().isInterrupted()) {
                    throw new CommandFailedException("interrupted while measuring");
                }
                double seconds = (context.clock().nanoTime() - began) / 1e9;
                long resident = gateway.residentBytes().orElse(0);
                third = seconds < plan.seconds() * WARM_SHARE ? resident : third;
                last = ended.get() == 0 ? resident : last;
            }
            return new Streamed(events.get(), broken.get(), third, last);
        } finally {
            vertx.close();
        }
    }

    /** How many events end in it: each has one line, and no byte of another is a brace. */
    private static int ends(Buffer piece) {
        int ends = 0;
        for (int i = 0; i < piece.length(); i++) {
            ends += piece.getByte(i) == '}' ? 1 : 0;
        }
        return ends;
    }

    private void begin(HttpClient client, URI url, int number, int count, int everyMillis) {
        Buffer expected = Buffer.buffer();
        for (int i = 0; i < count; i++) {
            expected.appendString(StubProvider.event(i, count));
        }
        Buffer body = Buffer.buffer(
                "{\"model\":\"gpt-4o\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"stream " + number
                        + "\"}]}");
        Buffer got = Buffer.buffer();
        client.request(new RequestOptions()
                        .setMethod(HttpMethod.POST)
                        .setHost(url.getHost())
                        .setPort(url.getPort())
                        .setURI(ClientProtocol.OPENAI.path())
                        .putHeader("content-type", "application/json")
                        .putHeader("x-recallgate-session", "stream-" + number)
                        .putHeader(StubProvider.REPLY, "stream " + count + " " + everyMillis))
                .compose(request -> request.send(body))
                .compose(response -> response.handler(piece -> {
                            events.addAndGet(ends(piece));
                            got.appendBuffer(piece);
                        })
                        .end())
                .onComplete(over -> {
                    if (over.failed() || !got.equals(expected)) {
                        broken.incrementAndGet();
                    }
                    ended.incrementAndGet();
                });
    }
}
