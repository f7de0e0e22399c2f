package io.recallgate.gateway.http.pipeline;

import io.netty.buffer.Unpooled;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.http.json.StrictJson;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.json.TextRules;
import io.recallgate.recall.read.Lane;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer, as stages and routes see it. Owned by the request's event loop; only {@link #cancel()}
 * {@link #onLoop} and {@link #claimAnswer()} are safe from elsewhere.
 */
public final class Exchange {

    private final RoutingContext routing;
    private final Endpoint endpoint;
    private final Context loop;
    private final JsonWorkers workers;
    private final Answers answers;
    private final long startNanos;
    private final CancelSignal cancel = new CancelSignal();
    private final AtomicBoolean answered = new AtomicBoolean();

    private String requestId = "";
    private Scope scope = Scope.LOCAL;
    private Set<Right> rights = Set.of();
    private Deadline deadline;
    private List<Buffer> chunks = List.of();
    private byte @Nullable [] whole;
    private long bodyBytes;
    private @Nullable String allowed;
    private @Nullable AnswerStream stream;
    private boolean last;
    private Future<Void> sent = Future.succeededFuture();

    Exchange(
            RoutingContext routing,
            Endpoint endpoint,
            JsonWorkers workers,
            Answers answers,
            long startNanos,
            Deadline lifetime) {
        this.routing = routing;
        this.endpoint = endpoint;
        this.loop = routing.vertx().getOrCreateContext();
        this.workers = workers;
        this.answers = answers;
        this.startNanos = startNanos;
        this.deadline = lifetime;
    }

    /** The route that serves it. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** The id that the answer and the log carry. */
    public String requestId() {
        return requestId;
    }

    /** Whose memories. */
    public Scope scope() {
        return scope;
    }

    /** By when the caller wants the answer; never later than the request's lifetime. */
    public Deadline deadline() {
        return deadline;
    }

    /** Fires when the client is gone or its deadline has passed. */
    public CancelSignal cancel() {
        return cancel;
    }

    /** A query parameter, empty when it is absent. */
    public Optional<String> query(String name) {
        return Optional.ofNullable(routing.queryParams().get(name));
    }

    /** A request header, empty when it is absent. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(routing.request().getHeader(name));
    }

    /** A path parameter as it is written, checked as text. */
    public String path(String name) {
        String value = routing.pathParam(name);
        String text = value == null ? "" : value;
        TextRules.requireClean(name, text);
        return text;
    }

    /**
     * A path parameter that is the id of something.
     *
     * @throws FailureException {@code not-found}: what is no id names nothing
     */
    public UUID pathId(String name) {
        String value = path(name);
        try {
            UUID id = UUID.fromString(value);
            // fromString also takes short forms such as 1-1-1-1-1, which we never hand out.
            if (id.toString().equalsIgnoreCase(value)) {
                return id;
            }
        } catch (IllegalArgumentException e) {
            throw notFound(name).causedBy(e);
        }
        throw notFound(name);
    }

    private static FailureException notFound(String name) {
        return FailureException.ofField(FailureCode.NOT_FOUND, name, "there is nothing with this " + name);
    }

    /**
     * Decodes the body, on a worker when it is large.
     *
     * @param decoder turns the JSON object into what the route wants; may throw a {@link FailureException}
     */
    public <T> Future<T> decode(Function<JsonObject, T> decoder) {
        byte[] read = whole;
        List<Buffer> body = chunks;
        return workers.run(
                Lane.FOREGROUND,
                bodyBytes,
                deadline,
                () -> decoder.apply(StrictJson.object(read != null ? read : joined(body))));
    }

    /**
     * The body as one array, which is kept nowhere else. Copied on a worker when it is large.
     *
     * @return fails with {@code overloaded} or {@code deadline-exceeded}
     */
    public Future<byte[]> bytes() {
        byte[] read = whole;
        List<Buffer> body = chunks;
        dropBody();
        return read != null ? Future.succeededFuture(read) : workers.runSurely(bodyBytes, deadline, () -> joined(body));
    }

    /** Replaces the body by what it is when it is inflated; that may be large even if the body is not. */
    Future<Void> inflate(Inflation.Coding coding, long limitBytes, Charge charge) {
        Inflation inflation = new Inflation(coding, chunks, limitBytes, deadline);
        long compressedBytes = bodyBytes;
        dropBody();
        return workers.runOnHeld(JsonWorkers.LARGE_BYTES, deadline, () -> inflation.run(charge))
                .map(inflated -> {
                    charge.giveBack(compressedBytes);
                    bodyBytes = inflated.length;
                    whole = inflated;
                    return null;
                });
    }

    private static byte[] joined(List<Buffer> chunks) {
        byte[] joined = new byte[chunks.stream().mapToInt(Buffer::length).sum()];
        int at = 0;
        for (Buffer chunk : chunks) {
            chunk.getBytes(joined, at);
            at += chunk.length();
        }
        return joined;
    }

    /** Whether a body came with the request. */
    public boolean hasBody() {
        return bodyBytes > 0;
    }

    /** The body of a streaming route, which nobody has read yet. */
    public IncomingBody incoming() {
        return new IncomingBody(routing);
    }

    /** Whether only the head of the answer is wanted. */
    public boolean wantsHeadOnly() {
        return routing.request().method().equals(HttpMethod.HEAD);
    }

    /**
     * Begins an answer of status 200 that is written piece by piece. The route then completes with {@link
     * Reply#streamed()}; a failure after this cuts the answer.
     *
     * @return empty when the deadline has answered already, or when nobody is left to answer
     */
    public Optional<AnswerStream> stream(String contentType) {
        if (routing.response().closed() || !claimAnswer()) {
            return Optional.empty();
        }
        AnswerStream begun = answers.begin(this, contentType);
        stream = begun;
        return Optional.of(begun);
    }

    /**
     * Begins an answer with another server's status and headers, which is written piece by piece. As {@link #stream} in
     * everything else.
     *
     * @param headers to send; those that every answer of ours has give way to them
     * @param contentBytes how long the answer is going to be, empty when that is not known
     * @return empty when the deadline has answered already, or when nobody is left to answer
     */
    public Optional<AnswerStream> relay(int status, MultiMap headers, OptionalLong contentBytes) {
        if (routing.response().closed() || !claimAnswer()) {
            return Optional.empty();
        }
        AnswerStream begun = answers.begin(this, status, headers, contentBytes);
        stream = begun;
        return Optional.of(begun);
    }

    /** The request's headers. */
    public MultiMap headers() {
        return routing.request().headers();
    }

    /** The query as it was sent, without its question mark, empty when there is none. */
    public String rawQuery() {
        String query = routing.request().query();
        return query == null ? "" : query;
    }

    /** When the request's head came, on the clock of its deadline. */
    public long startNanos() {
        return startNanos;
    }

    /** The answer that is written piece by piece, if one has begun. */
    Optional<AnswerStream> streaming() {
        return Optional.ofNullable(stream);
    }

    RoutingContext routing() {
        return routing;
    }

    /** Where the JSON of large bodies is read and written. */
    public JsonWorkers workers() {
        return workers;
    }

    /** True for the one that may write the answer: result, failure and deadline race for it. */
    boolean claimAnswer() {
        return answered.compareAndSet(false, true);
    }

    boolean isAnswered() {
        return answered.get();
    }

    /** Runs {@code task} on the request's event loop, at once when already there. Any thread. */
    public void onLoop(Runnable task) {
        if (routing.vertx().getOrCreateContext() == loop) {
            task.run();
        } else {
            loop.runOnContext(ignored -> task.run());
        }
    }

    void identify(String id) {
        requestId = id;
    }

    /**
     * Refuses a caller whose key has not this right, which a route needs besides its own.
     *
     * @throws FailureException {@code forbidden}
     */
    public void require(Right right) {
        if (!rights.contains(right)) {
            throw new FailureException(
                    FailureCode.FORBIDDEN,
                    "this key does not have the right \"" + right.name().toLowerCase(Locale.ROOT) + "\"");
        }
    }

    void rights(Set<Right> of) {
        rights = of;
    }

    void scope(Scope of) {
        scope = of;
    }

    void shorten(long spanMillis) {
        deadline = deadline.minAfterMillis(spanMillis);
    }

    void body(List<Buffer> read, long bytes) {
        chunks = read;
        bodyBytes = bytes;
    }

    void body(byte[] read) {
        // Wrapped, since the public ways to a buffer copy.
        chunks = List.of(BufferInternal.buffer(Unpooled.wrappedBuffer(read)));
        bodyBytes = read.length;
        whole = read;
    }

    /** Lets the body go once it is decoded or nobody wants it. */
    void dropBody() {
        chunks = List.of();
        whole = null;
    }

    /** The end of the answer is on its way; what is before it goes first. */
    void sending(Future<Void> end) {
        sent = end;
    }

    /** Once the answer has ended: completes when all of it is in the socket, fails when the connection ended first. */
    Future<Void> sent() {
        return sent;
    }

    /** Nothing more is served on the connection after this. */
    void endConnection() {
        last = true;
    }

    /** Whether the connection ends with this answer. */
    boolean endsConnection() {
        return last;
    }

    /** Methods that the path takes, when the answer has to name them. */
    Optional<String> allowed() {
        return Optional.ofNullable(allowed);
    }

    /**
     * Names the methods of the path in the answer.
     *
     * @param methods as the {@code allow} header has them
     */
    public void allow(String methods) {
        allowed = methods;
    }
}
