package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.recallgate.recall.read.Lane;
import io.recallgate.time.CancelCause;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Takes each request through the {@link Stage}s in order and writes its one answer. Thread-safe. */
public final class Pipeline {

    /** How much later than the deadline we answer ourselves: services are given the first word. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Of a streaming route: longer than any import or export takes, which have bounds of their own on standing still. */
    private static final long STREAM_MILLIS = TimeUnit.DAYS.toMillis(1);

    private static final Pattern SANE_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}");
    private static final Future<Void> PASSED = Future.succeededFuture();
    private static final Duration SOON = Duration.ofSeconds(1);

    private final GatewayRuntime runtime;
    private final HttpEnvironment environment;
    private final Supplier<HttpOptions> options;
    private final JsonWorkers workers;
    private final Connections connections;
    private final Quota inFlight = new Quota();
    private final Quota buffered = new Quota();
    private final Quota conversations = new Quota();
    private final HttpMetrics metrics;
    private final Answers answers;
    private final Credentials credentials;
    private final BodyReader bodies;

    /**
     * For one set of routes.
     *
     * @param options read on each request
     * @param connections those that the requests come on; requests on others are served all the same
     */
    public Pipeline(
            GatewayRuntime runtime,
            HttpEnvironment environment,
            Supplier<HttpOptions> options,
            JsonWorkers workers,
            Connections connections) {
        this.connections = connections;
        this.runtime = runtime;
        this.environment = environment;
        this.options = options;
        this.workers = workers;
        metrics = new HttpMetrics(environment.registry(), inFlight::used, () -> buffered.used() + conversations.used());
        answers = new Answers(environment.timers(), metrics);
        credentials = new Credentials(environment.keys(), environment.localName());
        bodies = new BodyReader(environment.timers());
    }

    /** Serves one request of {@code endpoint}. */
    public void serve(RoutingContext routing, Endpoint endpoint) {
        HttpOptions now = options.get();
        Exchange exchange = new Exchange(
                routing,
                endpoint,
                workers,
                answers,
                environment.clock().nanoTime(),
                Deadline.afterMillis(environment.clock(), endpoint.streams() ? STREAM_MILLIS : now.lifetimeMillis()));
        Served served = new Served(exchange, now);
        // The handler runs within the call that ends the answer, which only then tells of the sending.
        routing.addEndHandler(ended -> {
            if (ended.failed()) {
                served.connectionDone(false);
            } else {
                served.awaitSent();
                routing.vertx().runOnContext(turn -> exchange.sent()
                        .onComplete(sent -> served.connectionDone(sent.succeeded())));
            }
        });
        advance(served, 0);
    }

    private void advance(Served served, int from) {
        Stage[] stages = Stage.values();
        try {
            for (int i = from; i < stages.length; i++) {
                Future<Void> passed = pass(stages[i], served);
                if (!passed.succeeded()) {
                    int next = i + 1;
                    passed.onComplete(done -> served.exchange.onLoop(() -> {
                        if (done.succeeded()) {
                            advance(served, next);
                        } else {
                            served.fail(done.cause());
                        }
                    }));
                    return;
                }
            }
            served.workDone();
        } catch (RuntimeException | Error e) {
            // Also out of memory: the router would answer in words of its own, and the place would be taken for good.
            served.fail(e);
        }
    }

    /** One stage's work; throws or fails with a {@link FailureException} to end the exchange. */
    private Future<Void> pass(Stage stage, Served served) {
        return switch (stage) {
            case REQUEST_ID -> identify(served);
            case TURN -> turn(served);
            case PHASE -> phase(served);
            case ADMISSION -> admit(served);
            case AUTHENTICATION -> authenticate(served);
            case PARAMETERS -> parameters(served);
            case MEDIA_TYPE -> mediaType(served);
            case BODY -> body(served);
            case ROUTE -> route(served);
        };
    }

    private static Future<Void> identify(Served served) {
        served.exchange.identify(served.exchange
                .header("x-request-id")
                .filter(id -> SANE_ID.matcher(id).matches())
                .orElseGet(() -> UUID.randomUUID().toString()));
        MultiMap headers = served.exchange.headers();
        CallContext.of(
                        served.exchange.requestId(),
                        TraceContext.parse(
                                        headers.getAll(TraceContext.TRACEPARENT),
                                        headers.getAll(TraceContext.TRACESTATE))
                                .map(TraceContext::child)
                                .orElseGet(TraceContext::fresh))
                .enter();
        return PASSED;
    }

    private Future<Void> turn(Served served) {
        if (connections.refuses(served.exchange.routing().request().connection())) {
            served.exchange.endConnection();
            throw new FailureException(
                            FailureCode.OVERLOADED,
                            "too much was sent on this connection ahead of an answer; send this again when the answer "
                                    + "before it is there, or on another connection")
                    .retryAfter(SOON);
        }
        return PASSED;
    }

    private Future<Void> phase(Served served) {
        if (served.exchange.endpoint().gate() == Gate.ALWAYS) {
            return PASSED;
        }
        return switch (runtime.phase()) {
            case READY -> PASSED;
            case STARTING ->
                throw new FailureException(
                                FailureCode.NOT_READY, "the gateway is starting; GET /health tells how far it is")
                        .retryAfter(SOON);
            case STOPPING ->
                throw new FailureException(FailureCode.SHUTTING_DOWN, "the gateway is shutting down").retryAfter(SOON);
        };
    }

    private Future<Void> admit(Served served) {
        if (needsKey(served.exchange.endpoint())) {
            if (!inFlight.take(1, served.options.inFlight())) {
                throw new FailureException(
                                FailureCode.OVERLOADED,
                                "more than " + served.options.inFlight() + " requests are being served")
                        .retryAfter(SOON);
            }
            served.admitted = true;
        }
        return PASSED;
    }

    private Future<Void> authenticate(Served served) {
        if (needsKey(served.exchange.endpoint())) {
            credentials.admit(served.exchange);
            CallContext call = CallContext.current();
            if (call != null) {
                call.ownedBy(served.exchange.scope().owner()).enter();
            }
        }
        return PASSED;
    }

    private static boolean needsKey(Endpoint endpoint) {
        return endpoint.gate() == Gate.KEY || endpoint.gate() == Gate.OWN_KEY_HEADER;
    }

    private Future<Void> parameters(Served served) {
        if (served.exchange.endpoint().gate() != Gate.ALWAYS) {
            Parameters.check(served.exchange);
        }
        served.armDeadline(environment.timers());
        return PASSED;
    }

    private static Future<Void> mediaType(Served served) {
        Endpoint endpoint = served.exchange.endpoint();
        if (!endpoint.takesBody()) {
            return PASSED;
        }
        String header = served.exchange.header("content-type").orElse("").toLowerCase(Locale.ROOT);
        String[] parts = header.split(";", -1);
        boolean charset = true;
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].trim().replace("\"", "");
            charset &= !parameter.startsWith("charset=") || parameter.equals("charset=utf-8");
        }
        boolean readable = served.exchange
                .header("content-encoding")
                .map(coding -> coding.equalsIgnoreCase("identity")
                        || (endpoint.relays() && Inflation.Coding.of(coding).isPresent()))
                .orElse(true);
        if (!charset || !readable || !endpoint.body().contains(parts[0].trim())) {
            throw FailureException.ofField(
                    FailureCode.UNSUPPORTED_MEDIA_TYPE,
                    "content-type",
                    "send \"content-type: " + String.join("\" or \"content-type: ", endpoint.body())
                            + "\" in UTF-8, "
                            + (endpoint.relays()
                                    ? "as it is or with \"content-encoding: gzip\" or \"deflate\""
                                    : "not compressed"));
        }
        return PASSED;
    }

    private Future<Void> body(Served served) {
        if (!served.exchange.endpoint().takesBody()
                || served.exchange.endpoint().streams()) {
            return PASSED;
        }
        HttpOptions.Bodies bounds = served.options.bodiesOf(served.exchange.endpoint());
        Optional<Inflation.Coding> coding =
                served.exchange.header("content-encoding").flatMap(Inflation.Coding::of);
        return bodies.read(served.exchange, bounds, served.charge)
                .compose(read -> coding.isPresent()
                        ? served.exchange.inflate(coding.get(), bounds.bytes(), served.charge)
                        : PASSED);
    }

    private Future<Void> route(Served served) {
        Exchange exchange = served.exchange;
        return exchange.endpoint().route().serve(exchange).compose(reply -> {
            exchange.dropBody();
            if (exchange.streaming().isPresent() || exchange.cancel().isCancelled()) {
                return PASSED;
            }
            return workers.run(Lane.FOREGROUND, reply.estimatedBytes(), exchange.deadline(), reply.body())
                    .map(encoded -> {
                        exchange.onLoop(() -> served.answer(reply, encoded));
                        return null;
                    });
        });
    }

    /** What the pipeline keeps for one exchange besides the exchange itself. On the request's event loop. */
    private final class Served {

        private final Exchange exchange;
        private final HttpOptions options;
        private boolean admitted;
        private final Charge charge;
        private Timers.Timer timer = () -> false;
        private boolean connectionDone;
        private boolean workDone;

        Served(Exchange exchange, HttpOptions options) {
            this.exchange = exchange;
            this.options = options;
            this.charge = new Charge(
                    exchange.endpoint().relays() ? conversations : buffered,
                    options.bodiesOf(exchange.endpoint()).bufferedBytes());
        }

        void armDeadline(Timers timers) {
            timer = timers.schedule(exchange.deadline().remainingNanos() + GRACE_NANOS, this::expire);
        }

        private void expire() {
            if (exchange.claimAnswer()) {
                answers.write(
                        exchange,
                        new FailureException(FailureCode.DEADLINE_EXCEEDED, "the request's deadline passed")
                                .retryAfter(SOON));
            }
            exchange.cancel().cancel(CancelCause.DEADLINE);
        }

        void answer(Reply reply, Buffer body) {
            if (exchange.claimAnswer()) {
                answers.write(exchange, reply, body);
            }
        }

        void fail(Throwable error) {
            if (exchange.claimAnswer()) {
                answers.write(exchange, FailureException.of(error));
            } else {
                // No-op for an answer that has ended.
                exchange.streaming().ifPresent(stream -> stream.cut(FailureException.of(error), Buffer.buffer()));
            }
            workDone();
        }

        /** The answer is made. One that its client does not take holds its place, but no longer than the lifetime. */
        void awaitSent() {
            timer.cancel();
            long spent = environment.clock().nanoTime() - exchange.startNanos();
            timer = environment
                    .timers()
                    .schedule(
                            TimeUnit.MILLISECONDS.toNanos(
                                            exchange.endpoint().streams() ? STREAM_MILLIS : options.lifetimeMillis())
                                    - spent,
                            () -> connections.cut(exchange.routing().request().connection()));
        }

        /**
         * The answer is out, or the connection is gone; Vert.x may tell more than once.
         *
         * @param written whether all of the answer went into the socket
         */
        void connectionDone(boolean written) {
            if (connectionDone) {
                return;
            }
            connectionDone = true;
            timer.cancel();
            boolean sent = written && exchange.isAnswered();
            if (!sent) {
                exchange.cancel().cancel(CancelCause.DISCONNECTED);
            }
            metrics.answered(
                    exchange.endpoint(),
                    sent ? exchange.routing().response().getStatusCode() : statusOfCut(),
                    environment.clock().nanoTime() - exchange.startNanos());
            release();
        }

        /** An answer that we cut ourselves counts as the failure that it was. */
        private int statusOfCut() {
            FailureException reason =
                    exchange.streaming().map(AnswerStream::reasonOfCut).orElse(null);
            return reason == null ? HttpMetrics.CLIENT_GONE : reason.code().httpStatus();
        }

        void workDone() {
            workDone = true;
            release();
        }

        /** Capacity is charged until both the connection and the work are done: a leaver's work may still run. */
        private void release() {
            if (!connectionDone || !workDone) {
                return;
            }
            exchange.dropBody();
            charge.close();
            if (admitted) {
                admitted = false;
                inFlight.giveBack(1);
            }
        }
    }
}
