package io.recallgate.embedding;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Callers that change their minds: twelve at a time ask for short and long texts, most of them cancel, each at a moment
 * of its own. Everything runs on one event loop, over the bus.
 */
final class RandomCancels {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int CALLERS = 12;

    private final RealBus bus;
    private final Random random;
    private int sent;
    private int settled;
    private int served;
    private int cancelled;
    private int wanted;
    private Promise<Void> done = Promise.promise();

    RandomCancels(RealBus bus, long seed) {
        this.bus = bus;
        this.random = new Random(seed);
    }

    /** Returns when this many more were cancelled and everybody is answered. */
    void run(int more) {
        done = Promise.promise();
        bus.vertx.runOnContext(ignored -> {
            wanted += more;
            for (int i = 0; i < CALLERS; i++) {
                ask();
            }
        });
        RealBus.get(done.future());
    }

    private void ask() {
        if (cancelled >= wanted) {
            if (settled == sent) {
                done.tryComplete();
            }
            return;
        }
        String id = "r" + sent++;
        String text = random.nextInt(8) == 0 ? "word ".repeat(60 + random.nextInt(100)) + id : "a short text " + id;
        Future<JsonObject> answer = bus.embed(id, RealBus.times(1 + random.nextInt(3), text));
        if (random.nextInt(10) == 0) {
            answer.onComplete(found -> settled(found.succeeded()));
            return;
        }
        int delayMillis = random.nextInt(40);
        if (delayMillis == 0) {
            cancel(id);
        } else {
            bus.vertx.setTimer(delayMillis, ignored -> cancel(id));
        }
        answer.onComplete(found -> settled(found.succeeded()));
    }

    private void cancel(String id) {
        bus.send("recallgate.embed.cancel", new JsonObject().put("id", id));
    }

    private void settled(boolean success) {
        settled++;
        if (success) {
            served++;
        } else if (cancelled < wanted) {
            cancelled++;
        }
        ask();
    }

    int sent() {
        return sent;
    }

    int settled() {
        return settled;
    }

    int cancelled() {
        return cancelled;
    }

    /** The process's resident memory after a collection; zero where the system does not tell. */
    static long residentMegabytes() {
        System.gc();
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return sent + " requests, " + cancelled + " cancelled, " + served + " served";
    }
}
