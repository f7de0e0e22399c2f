package io.recallgate.bench.pool;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.onnx.e5smallv2q.E5SmallV2QuantizedEmbeddingModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The same model as another Java library runs it in process: in one call for all texts, on the executor that it makes
 * itself, or text by text from two threads of the caller.
 */
final class LangChainModel implements Contender {

    private final boolean inOneCall;
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final E5SmallV2QuantizedEmbeddingModel model = new E5SmallV2QuantizedEmbeddingModel();

    LangChainModel(boolean inOneCall) {
        this.inOneCall = inOneCall;
    }

    @Override
    public String name() {
        return inOneCall ? "LangChain4j, one call" : "LangChain4j, two threads";
    }

    @Override
    public void embed(List<String> texts) throws Exception {
        if (inOneCall) {
            model.embedAll(texts.stream().map(TextSegment::from).toList());
            return;
        }
        List<Future<?>> running = new ArrayList<>();
        for (String text : texts) {
            running.add(threads.submit(() -> model.embed(text)));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
