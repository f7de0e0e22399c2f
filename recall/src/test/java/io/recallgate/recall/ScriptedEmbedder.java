package io.recallgate.recall;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.trace.CallContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** An embedder that does what the test says: answers at once, holds a text until it is let go, or fails. Thread-safe. */
public final class ScriptedEmbedder implements Embedder {

    /** What every row gets. */
    public static final EmbeddingVector VECTOR = EmbeddingVector.of(0.6f, 0.8f);

    /** The texts of every request, in order. */
    public final List<List<String>> requests = new CopyOnWriteArrayList<>();

    /** Every text that was asked for, in order. */
    public final List<String> asked = new CopyOnWriteArrayList<>();

    /** Whom a text was asked for, where that is known. */
    public final Map<String, CallContext> callers = new ConcurrentHashMap<>();

    private final AtomicInteger modelQuestions = new AtomicInteger();
    private final Map<String, Promise<EmbedResult>> held = new ConcurrentHashMap<>();
    private final Map<String, FailureCode> failing = new ConcurrentHashMap<>();
    private volatile @Nullable FailureCode failingAll;
    private volatile @Nullable FailureCode modelFailure;
    private volatile ModelIdentity model = new ModelIdentity("scripted", "f1", 2, 512);
    private volatile boolean holdAll;
    private volatile int windowChars = Integer.MAX_VALUE;

    @Override
    public Future<EmbedResult> embed(EmbedRequest request) {
        List<String> texts = request.inputs().stream()
                .map(input -> ((EmbedInput.Text) input).text())
                .toList();
        CallContext caller = CallContext.current();
        if (caller != null) {
            texts.forEach(text -> callers.put(text, caller));
        }
        FailureCode failure = failingAll;
        for (String text : texts) {
            failure = failure != null ? failure : failing.get(text);
        }
        if (failure != null) {
            note(texts);
            return Future.failedFuture(new FailureException(failure, "scripted"));
        }
        // A request is held under its first text.
        Promise<EmbedResult> promise =
                holdAll ? held.computeIfAbsent(texts.get(0), ignored -> Promise.promise()) : held.get(texts.get(0));
        Future<EmbedResult> answer =
                promise == null ? Future.succeededFuture(result(model, texts, windowChars)) : promise.future();
        if (promise != null) {
            request.cancel()
                    .onCancel(cause ->
                            promise.tryFail(new FailureException(FailureCode.CANCELLED, "scripted: " + cause)));
        }
        note(texts);
        return answer;
    }

    /** Last: whoever sees that a text was asked for can let it go, and it is held by then. */
    private void note(List<String> texts) {
        requests.add(texts);
        asked.addAll(texts);
    }

    @Override
    public Future<ModelIdentity> model() {
        modelQuestions.incrementAndGet();
        FailureCode failure = modelFailure;
        return failure == null
                ? Future.succeededFuture(model)
                : Future.failedFuture(new FailureException(failure, "scripted"));
    }

    /** From now on the text's requests stay open. */
    public void hold(String text) {
        held.put(text, Promise.promise());
    }

    /** From now on all requests stay open. */
    public void holdAll() {
        holdAll = true;
    }

    /** Answers the held request of the text, with the model as it was when it was held. */
    public void release(String text) {
        Promise<EmbedResult> promise = held.remove(text);
        if (promise != null) {
            promise.tryComplete(result());
        }
    }

    /** Answers the held request with the model of now, and another model is active before anybody sees the answer. */
    public void releaseThenModel(String text, String fingerprint) {
        EmbedResult old = result();
        model(fingerprint);
        Promise<EmbedResult> promise = held.remove(text);
        if (promise != null) {
            promise.tryComplete(old);
        }
    }

    /** Answers all and holds no more. */
    public void releaseAll() {
        holdAll = false;
        List.copyOf(held.keySet()).forEach(this::release);
    }

    /** The text fails from now on. */
    public void fail(String text, FailureCode code) {
        failing.put(text, code);
    }

    /** The text does not fail any more. */
    public void mend(String text) {
        failing.remove(text);
    }

    /** Everything fails from now on; null lets it work again. */
    public void failAll(@Nullable FailureCode code) {
        failingAll = code;
    }

    /** {@link #model()} fails from now on; null lets it work again. */
    public void failModel(@Nullable FailureCode code) {
        modelFailure = code;
    }

    /** Another model answers from now on. */
    public void model(String fingerprint) {
        model(fingerprint, 512);
    }

    /** Another model with a window of its own answers from now on. */
    public void model(String fingerprint, int maxTokens) {
        model = new ModelIdentity("scripted", fingerprint, 2, maxTokens);
    }

    /** How often it was asked for its model. */
    public int modelQuestions() {
        return modelQuestions.get();
    }

    /** How often the text was asked for. */
    public long timesAsked(String text) {
        return asked.stream().filter(text::equals).count();
    }

    /** Texts longer than this are labelled as truncated. */
    public void window(int chars) {
        windowChars = chars;
    }

    private EmbedResult result() {
        return result(model);
    }

    /** A result of this model for one text. */
    public static EmbedResult result(ModelIdentity model) {
        return result(model, List.of(""), Integer.MAX_VALUE);
    }

    private static EmbedResult result(ModelIdentity model, List<String> texts, int windowChars) {
        return new EmbedResult(
                model,
                texts.stream().map(text -> VECTOR).toList(),
                texts.stream().map(text -> 3).toList(),
                IntStream.range(0, texts.size())
                        .filter(row -> texts.get(row).length() > windowChars)
                        .boxed()
                        .toList(),
                EmbedResult.Timing.NONE);
    }
}
