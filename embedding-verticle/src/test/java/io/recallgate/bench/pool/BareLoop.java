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

/** Threads, each with a session as the pool's workers have it, and nothing between them and the texts. */
final class BareLoop implements Contender {

    private final List<TextModel> models = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(PoolUnderTest.WORKERS);

    BareLoop() {
        for (int i = 0; i < PoolUnderTest.WORKERS; i++) {
            models.add(RealModel.factory().open(RealModel.NAME));
        }
    }

    @Override
    public String name() {
        return "bare loop of two threads";
    }

    @Override
    public void embed(Feed feed) throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (TextModel model : models) {
            running.add(threads.submit(() -> {
                for (List<String> next = feed.take(1); !next.isEmpty(); next = feed.take(1)) {
                    model.run(1, List.of(model.tokenize(new EmbedInput.Text(next.get(0)), InputType.DOCUMENT)));
                    feed.done(1);
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
