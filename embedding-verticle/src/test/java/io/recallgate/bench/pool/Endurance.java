package io.recallgate.bench.pool;

import static io.recallgate.bench.pool.PoolUnderTest.await;

import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** What stays the same however long it goes on: resident memory, generations, loads. Resident memory is Linux's. */
final class Endurance {

    private static final int CHECKPOINTS = 10;
    private static final long PAGE_BYTES = 4096;
    private static final double MIB = 1 << 20;

    private final PoolUnderTest pool;
    private final Texts texts;
    private final Consumer<String> progress;
    private final Random random = new Random(13);

    Endurance(PoolUnderTest pool, Texts texts, Consumer<String> progress) {
        this.pool = pool;
        this.texts = texts;
        this.progress = progress;
    }

    /** @param count texts of 8 to 512 tokens, in all */
    List<Figure> randomLengths(int count) throws Exception {
        Samples outsideHeap = new Samples();
        for (int checkpoint = 0; checkpoint <= CHECKPOINTS; checkpoint++) {
            List<String> batch = new ArrayList<>();
            for (int i = 0; i < count / (CHECKPOINTS + 1); i++) {
                batch.add(texts.of(8 + random.nextInt(505)));
            }
            pool.embed(batch);
            double now = outsideHeapMib();
            progress.accept(
                    String.format("random lengths, %d of %d: %.0f MiB outside the heap", checkpoint, CHECKPOINTS, now));
            // The first one grows buffers to the longest text.
            if (checkpoint > 0) {
                outsideHeap.add(now);
            }
        }
        double share = 100 * outsideHeap.slope() * (CHECKPOINTS - 1) / outsideHeap.median();
        Samples charged = new Samples();
        pool.slots().forEach(slot -> charged.add(((JsonObject) slot).getLong("resident_bytes") / MIB));
        return List.of(
                Figure.plain("charged for a worker", String.format("%.0f MiB", charged.max())),
                new Figure(
                        "resident outside the heap over " + count + " texts of random length, trend",
                        "within 3 %",
                        String.format("%+.1f %% of %.0f MiB", share, outsideHeap.median()),
                        share <= 3));
    }

    List<Figure> thousandCancels() throws Exception {
        List<Long> before = generations();
        long starts = starts();
        Samples outsideHeap = new Samples();
        for (int tenth = 0; tenth < 10; tenth++) {
            List<Future<EmbedResult>> given = new ArrayList<>();
            List<CancelSignal> signals = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                CancelSignal signal = new CancelSignal();
                signals.add(signal);
                given.add(pool.documents(texts.of(8 + random.nextInt(120), 1 + random.nextInt(8)), signal));
                await(pool.pause(random.nextInt(8)));
                signals.get(random.nextInt(signals.size())).cancel(CancelCause.CALLER);
            }
            signals.forEach(signal -> signal.cancel(CancelCause.DISCONNECTED));
            for (Future<EmbedResult> one : given) {
                await(one.otherwiseEmpty());
            }
            outsideHeap.add(outsideHeapMib());
            progress.accept("cancels, " + (tenth + 1) * 100 + " of 1000");
        }
        boolean same = generations().equals(before) && starts() == starts;
        return List.of(
                new Figure(
                        "generations and model loads after 1,000 cancels under load",
                        "unchanged",
                        same ? "unchanged" : before + " became " + generations(),
                        same),
                Figure.plain(
                        "resident outside the heap over them, first to last hundred",
                        String.format("%.0f to %.0f MiB", outsideHeap.quantile(0.1), outsideHeap.max())));
    }

    private List<Long> generations() throws Exception {
        JsonArray slots = pool.slots();
        return slots.stream()
                .map(slot -> ((JsonObject) slot).getLong("generation"))
                .toList();
    }

    private long starts() throws Exception {
        return pool.status().getJsonObject("counters").getLong("starts");
    }

    /** Resident memory without what the heap has committed: the heap's size is the collector's affair. */
    private static double outsideHeapMib() throws Exception {
        String[] fields = Files.readString(Path.of("/proc/self/statm")).split(" ", 3);
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        return (Long.parseLong(fields[1]) * PAGE_BYTES - heap) / MIB;
    }
}
