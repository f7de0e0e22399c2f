package io.recallgate.bench.pool;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.model.TextModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Two threads, each with a session as the pool's workers have it, and nothing between them and the texts. */
final class BareLoop implements Contender {

    private static final int THREADS = 2;

    private final List<TextModel> models = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    BareLoop() {
        for (int i = 0; i < THREADS; i++) {
            models.add(RealModel.factory().open(RealModel.NAME));
        }
    }

    @Override
    public String name() {
        return "bare loop";
    }

    @Override
    public void embed(List<String> texts) throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<Future<?>> running = new ArrayList<>();
        for (TextModel model : models) {
            running.add(threads.submit(() -> {
                for (int i = next.getAndIncrement(); i < texts.size(); i = next.getAndIncrement()) {
                    model.run(1, List.of(model.tokenize(new EmbedInput.Text(texts.get(i)), InputType.DOCUMENT)));
                }
                return null;
            }));
        }
        for (Future<?> one : running) {
            one.get();
        }
    }

    @Override
    public void close() {
        threads.shutdown();
        models.forEach(TextModel::close);
    }
}
