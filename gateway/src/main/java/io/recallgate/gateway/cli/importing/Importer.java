package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.conversation.ConversationSource;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends memories through {@code POST /v1/memories}, which stores a request whole or not at all. A batch that is refused
 * for what is in it is halved until the ones at fault are found; the others are kept. Memories with an external id are
 * stored once however often this runs. Used once, by one thread.
 */
public final class Importer {

    /** A fifth of what a request may hold: progress stays smooth and a refused batch is soon narrowed down. */
    private static final int MAX_BATCH = 200;

    /** An eighth of the gateway's body limit; one larger memory goes alone. */
    private static final int MAX_BATCH_BYTES = 1 << 20;

    private final GatewayClient client;
    private final @Nullable String session;
    private final Consumer<Importer> onProgress;

    private final List<SourceItem.Intact> batch = new ArrayList<>();
    private final Set<String> batchIds = new HashSet<>();
    private int batchBytes;

    private long stored;
    private long updated;
    private long unchanged;
    private long rejectedCount;
    private final List<SourceItem.Damaged> rejected = new ArrayList<>();

    /**
     * @param session given to memories that name none; null leaves them without
     * @param onProgress called after each batch, on the calling thread
     */
    public Importer(GatewayClient client, @Nullable String session, Consumer<Importer> onProgress) {
        this.client = client;
        this.session = session;
        this.onProgress = onProgress;
    }

    /** Memories that the gateway has acknowledged so far. */
    public long accepted() {
        return stored + updated + unchanged;
    }

    /** Lines damaged or refused so far. */
    public long rejectedCount() {
        return rejectedCount;
    }

    /**
     * Imports all of it.
     *
     * @param nanoTime the clock, for the report
     * @throws CommandFailedException if the gateway stops answering; what was acknowledged stays stored
     */
    public ImportReport run(ConversationSource source, LongSupplier nanoTime) {
        long started = nanoTime.getAsLong();
        try {
            for (SourceItem item = source.next(); item != null; item = source.next()) {
                if (item instanceof SourceItem.Intact readable) {
                    add(readable);
                } else if (item instanceof SourceItem.Damaged damaged) {
                    reject(damaged);
                }
            }
            flush();
        } catch (IOException e) {
            throw new CommandFailedException(
                    "reading stopped after " + accepted() + " memories were stored: " + e.getMessage()
                            + "; run it again, memories with an external_id are not stored twice",
                    e);
        }
        double seconds = (nanoTime.getAsLong() - started) / (double) TimeUnit.SECONDS.toNanos(1);
        // A damaged line is known at once, a refused one when its batch has been narrowed down.
        rejected.sort(Comparator.comparingLong(one -> one.line().orElse(0)));
        return new ImportReport(accepted(), stored, updated, unchanged, rejected, rejectedCount, seconds);
    }

    private void add(SourceItem.Intact item) {
        JsonObject memory = item.memory();
        if (session != null && memory.getValue("session") == null) {
            memory.put("session", session);
        }
        int bytes = memory.encode().getBytes(StandardCharsets.UTF_8).length;
        String id = memory.getValue("external_id") instanceof String value ? value : null;
        // A memory and its later version go in separate requests, so that the later one wins.
        boolean again = id != null && batchIds.contains(id);
        if (again || batch.size() == MAX_BATCH || (!batch.isEmpty() && batchBytes + bytes > MAX_BATCH_BYTES)) {
            flush();
        }
        batch.add(item);
        batchBytes += bytes;
        if (id != null) {
            batchIds.add(id);
        }
    }

    private void flush() {
        if (!batch.isEmpty()) {
            send(List.copyOf(batch));
            batch.clear();
            batchIds.clear();
            batchBytes = 0;
        }
        onProgress.accept(this);
    }

    private void send(List<SourceItem.Intact> items) {
        JsonArray memories = new JsonArray();
        items.forEach(item -> memories.add(item.memory()));
        Answer answer = client.post("/v1/memories", new JsonObject().put("memories", memories));
        if (answer.isSuccess()) {
            count(answer.json(), items.size());
        } else if (answer.status() != 400 && answer.status() != 413 && answer.status() != 422) {
            throw new CommandFailedException(answer.explain() + " [" + accepted()
                    + " memories are stored; run it again, those with an external_id are not stored twice]");
        } else if (items.size() == 1) {
            reject(new SourceItem.Damaged(items.get(0).place(), code(answer), ofItself(answer.detail())));
        } else {
            int half = items.size() / 2;
            send(items.subList(0, half));
            send(items.subList(half, items.size()));
        }
    }

    private void count(JsonObject answer, int sent) {
        JsonArray memories = answer.getValue("memories") instanceof JsonArray list ? list : new JsonArray();
        if (memories.size() != sent) {
            throw new CommandFailedException("the gateway acknowledged " + memories.size() + " of " + sent
                    + " memories: it and this command line are of different versions");
        }
        for (Object value : memories) {
            String change = value instanceof JsonObject one ? String.valueOf(one.getValue("change")) : "";
            switch (change) {
                case "updated" -> updated++;
                case "unchanged" -> unchanged++;
                default -> stored++;
            }
        }
    }

    /** What is wrong with the one memory of a request, without its place there: the person knows another. */
    private static String ofItself(String detail) {
        return detail.replace("memories[0].", "").replace("memories[0]", "the memory");
    }

    private static String code(Answer answer) {
        return answer.json().getValue("code") instanceof String code ? code : "http-" + answer.status();
    }

    private void reject(SourceItem.Damaged damaged) {
        rejectedCount++;
        if (rejected.size() < ImportReport.MAX_LISTED) {
            rejected.add(damaged);
        }
    }
}
