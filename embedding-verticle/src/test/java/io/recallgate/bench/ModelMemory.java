package io.recallgate.bench;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.model.RealModel;
import io.recallgate.embedding.model.TextModel;
import io.recallgate.embedding.model.TokenizedRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What sessions of the real model hold outside the heap, from {@code /proc/self/status}: after each load, at the peak of
 * one run of growing size, and after it. Linux only. The heap is touched beforehand, so that it does not count as growth:
 *
 * <pre>{@code
 * ./recallgate bench jmh -l   # compiles, and writes the class path
 * cd embedding-verticle
 * MALLOC_ARENA_MAX=2 java -Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC \
 *     -XX:+IgnoreUnrecognizedVMOptions -XX:TrimNativeHeapInterval=1000 \
 *     -cp "target/test-classes:target/classes:$(cat target/bench.classpath)" io.recallgate.bench.ModelMemory
 * }</pre>
 */
public final class ModelMemory {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int SESSIONS = 3;
    private static final int WARM_RUNS = 10;
    /** The JVM trims every second here, where it knows the flag. */
    private static final long TRIM_MILLIS = 2_500;

    private ModelMemory() {}

    /** Prints one line for each step. */
    public static void main(String[] args) throws Exception {
        List<TextModel> sessions = new ArrayList<>();
        for (int session = 1; session <= SESSIONS; session++) {
            long before = kibibytes("VmRSS");
            TextModel model = RealModel.factory().open(RealModel.NAME);
            sessions.add(model);
            System.out.printf(
                    "load %d: %+,d KiB at rest; profile says %,d KiB%n",
                    session, kibibytes("VmRSS") - before, model.profile().residentBytes() >> 10);
            for (int rows : new int[] {1, 2, 4, 8}) {
                run(model, rows);
            }
        }
        sessions.forEach(TextModel::close);
        System.out.printf("all closed: %,d KiB resident%n", kibibytes("VmRSS"));
    }

    private static void run(TextModel model, int rows) throws Exception {
        TokenizedRow row = model.tokenize(new EmbedInput.Text("memory ".repeat(600)), InputType.DOCUMENT);
        // The first runs also pay for compiled code and buffers, which stay.
        for (int i = 0; i < WARM_RUNS; i++) {
            model.run(1, Collections.nCopies(rows, row));
        }
        TimeUnit.MILLISECONDS.sleep(TRIM_MILLIS);
        long before = kibibytes("VmRSS");
        // Lets VmHWM begin again at what is resident now.
        Files.writeString(Path.of("/proc/self/clear_refs"), "5");
        model.run(1, Collections.nCopies(rows, row));
        long peak = kibibytes("VmHWM");
        long after = kibibytes("VmRSS");
        TimeUnit.MILLISECONDS.sleep(TRIM_MILLIS);
        System.out.printf(
                "  %d rows of %d tokens: %+,d KiB at the peak, %+,d KiB after, %,d KiB resident after a trim%n",
                rows, row.tokens(), peak - before, after - before, kibibytes("VmRSS"));
    }

    private static long kibibytes(String name) throws IOException {
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }
}
