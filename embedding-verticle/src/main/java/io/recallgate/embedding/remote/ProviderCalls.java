package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.trace.CallContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Requests and answers in the provider's language. What is large is read on worker threads. Confined to one context.
 */
final class ProviderCalls {

    /** Above this, texts are cut and answers are read on a worker thread: below, it takes a millisecond or two. */
    private static final long LARGE_BYTES = 256 * 1024;

    /** What an answer may have for each number: the longest double has 24 characters, and a separator. */
    private static final long BYTES_PER_NUMBER = 32;

    /** What an answer may have besides its numbers. */
    private static final long BYTES_AROUND = 64 * 1024;

    /** More than any model has; bounds an answer while the right number is not known. */
    private static final int MAX_DIMENSIONS = 16_384;

    private final Vertx vertx;
    private final RemoteOptions options;
    private final ProviderClient client;

    ProviderCalls(Vertx vertx, RemoteOptions options) {
        this.vertx = vertx;
        this.options = options;
        this.client = new ProviderClient(vertx, options);
    }

    /**
     * The requests that a caller's request takes.
     *
     * @param bytes of its inputs, at least
     */
    Future<List<List<ProviderRow>>> plan(EmbedRequest request, long bytes) {
        return sized(
                bytes,
                () -> BatchPlan.of(
                        request.inputs().stream()
                                .map(input -> ProviderRow.of(input, request.inputType(), options.model()))
                                .toList(),
                        options.bounds().batchInputs()));
    }

    /**
     * @param dimensions of its vectors, as far as they are known
     * @param call that it is asked for, null for none
     */
    ProviderClient.Exchange send(List<ProviderRow> rows, OptionalInt dimensions, @Nullable CallContext call) {
        long numbers = (long) rows.size() * dimensions.orElse(MAX_DIMENSIONS);
        return client.send(encode(rows), BYTES_AROUND + BYTES_PER_NUMBER * numbers, call);
    }

    private Buffer encode(List<ProviderRow> rows) {
        JsonArray input = new JsonArray();
        rows.forEach(row -> input.add(row.value()));
        JsonObject body = new JsonObject().put("model", options.model().name()).put("input", input);
        options.model().dimensions().ifPresent(dimensions -> body.put("dimensions", dimensions));
        return body.toBuffer();
    }

    /** The vectors of an answer; fails as {@link AnswerReader#read} does. */
    Future<AnswerReader.Vectors> read(ProviderClient.Answer answer, int rows, OptionalInt dimensions) {
        return sized(answer.body().length(), () -> AnswerReader.read(answer, rows, dimensions));
    }

    Future<Void> close() {
        return client.close();
    }

    private <T> Future<T> sized(long bytes, Callable<T> look) {
        if (bytes > LARGE_BYTES) {
            return vertx.executeBlocking(look, false);
        }
        try {
            return Future.succeededFuture(look.call());
        } catch (Exception | Error e) {
            return Future.failedFuture(e);
        }
    }
}
