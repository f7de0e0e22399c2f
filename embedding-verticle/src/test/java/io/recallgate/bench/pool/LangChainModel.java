package io.recallgate.bench.pool;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.onnx.e5smallv2q.E5SmallV2QuantizedEmbeddingModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The same model as another Java library runs it in process: many texts in a call, on the executor that it makes itself,
 * or text by text from two threads of the caller.
 */
final class LangChainModel implements Contender {

    /** The pool puts this before a document, and the other does not; with it both see as many tokens. */
    private static final String PREFIX = "passage: ";

    private final int textsPerCall;
    private final ExecutorService threads;
    private final int callers;
    private final E5SmallV2QuantizedEmbeddingModel model = new E5SmallV2QuantizedEmbeddingModel();

    private LangChainModel(int textsPerCall, int callers) {
        this.textsPerCall = textsPerCall;
        this.callers = callers;
        this.threads = Executors.newFixedThreadPool(callers);
    }

    /** One caller gives this many texts at once. */
    static LangChainModel manyInOneCall(int textsPerCall) {
        return new LangChainModel(textsPerCall, 1);
    }

    /** As many callers as the pool has workers give one text each. */
    static LangChainModel textByText() {
        return new LangChainModel(1, PoolUnderTest.WORKERS);
    }

    @Override
    public String name() {
        return textsPerCall > 1 ? "LangChain4j, many texts in one call" : "LangChain4j, text by text from two threads";
    }

    @Override
    public void embed(Feed feed) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            running.add(threads.submit(() -> {
                for (List<String> next = feed.take(textsPerCall); !next.isEmpty(); next = feed.take(textsPerCall)) {
                    call(next);
                    feed.done(next.size());
                }
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    private void call(List<String> texts) {
        if (texts.size() == 1) {
            model.embed(PREFIX + texts.get(0));
        } else {
            model.embedAll(
                    texts.stream().map(text -> TextSegment.from(PREFIX + text)).toList());
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
