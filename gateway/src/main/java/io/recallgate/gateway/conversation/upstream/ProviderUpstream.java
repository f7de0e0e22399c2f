package io.recallgate.gateway.conversation.upstream;

import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Providers over HTTP/1.1: no retry, no redirect, certificates checked. One connection is used by one request at a time, so
 * that ending it ends that request and nothing else. Thread-safe.
 */
public final class ProviderUpstream implements Upstream {

    /** A connection that was idle for longer may be closed by the other side in the moment it is used again. */
    private static final int KEEP_ALIVE_SECONDS = 30;

    /** The large providers' security headers and cookies alone take some kilobytes. */
    private static final int HEADER_BYTES = 64 * 1024;

    private static final int HTTPS_PORT = 443;
    private static final int HTTP_PORT = 80;

    private final Vertx vertx;
    private final HttpClient client;
    private final Supplier<UpstreamOptions> options;
    private final Clock clock;
    private final Timers timers;

    /**
     * Connects to nobody yet.
     *
     * @param connections most connections to one provider; as many requests again may wait for one, which then is being
     *     made in place of one that ended
     * @param options read for each request, but for the bound on connecting, which stays
     */
    public ProviderUpstream(
            Vertx vertx, int connections, Supplier<UpstreamOptions> options, Clock clock, Timers timers) {
        this.vertx = vertx;
        this.options = options;
        this.clock = clock;
        this.timers = timers;
        int connectMillis = Math.toIntExact(options.get().connectMillis());
        client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
                        .setMaxHeaderSize(HEADER_BYTES)
                        // The call has this bound too; here it frees the place of a connection that nobody waits for.
                        .setConnectTimeout(connectMillis)
                        .setSslHandshakeTimeout(connectMillis)
                        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                        .setTrustAll(false)
                        .setVerifyHost(true)
                        .setDecompressionSupported(false),
                new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(connections));
    }

    @Override
    public UpstreamCall send(UpstreamRequest request, UpstreamListener listener) {
        UpstreamOptions now = options.get();
        Context context = vertx.getOrCreateContext();
        ProviderCall call = new ProviderCall(new ProviderCall.Time(context, clock, timers), now, request, listener);
        call.start(client.request(target(now, request)));
        return call;
    }

    private static RequestOptions target(UpstreamOptions now, UpstreamRequest request) {
        URI base = now.base(request.protocol());
        boolean secure = "https".equalsIgnoreCase(base.getScheme());
        String path = now.path(request.protocol());
        MultiMap headers = RelayedHeaders.toProvider(request.headers());
        // The client's trace goes on with a step of ours; one that was not valid ends here.
        headers.remove(TraceContext.TRACEPARENT);
        headers.remove(TraceContext.TRACESTATE);
        CallContext call = CallContext.current();
        if (call != null) {
            call.tell(headers);
        }
        return new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost(base.getHost().replaceAll("[\\[\\]]", ""))
                .setPort(base.getPort() >= 0 ? base.getPort() : secure ? HTTPS_PORT : HTTP_PORT)
                .setSsl(secure)
                .setURI(request.query().isEmpty() ? path : path + "?" + request.query())
                .setFollowRedirects(false)
                .setConnectTimeout(now.connectMillis())
                .setHeaders(headers);
    }

    @Override
    public Future<Void> close() {
        return client.close();
    }
}
