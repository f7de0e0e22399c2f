package io.recallgate.gateway.http.transfer;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.http.json.StrictJson;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.json.MemoryJson;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Some lines as memories.
 *
 * @param groups to be written one after the other; in each no memory is named twice, so that the later line wins
 * @param rejected lines that are no memory
 */
record ParsedBatch(List<List<Item>> groups, List<Rejection> rejected) {

    /**
     * A line that is a memory.
     *
     * @param line its number
     * @param memory it, with an id in any case
     * @param named whether that id, or an external id, came with the line; otherwise the id is ours and serves to find
     *     the memory again when its write is repeated
     */
    record Item(long line, ExportedMemory memory, boolean named) {}

    /** Parses lines; runs where their size allows it. */
    static ParsedBatch of(List<Line> lines, @Nullable String session, Supplier<UUID> ids) {
        List<List<Item>> groups = new ArrayList<>();
        List<Rejection> rejected = new ArrayList<>();
        Set<Object> names = new HashSet<>();
        for (Line line : lines) {
            if (line.isTooLong()) {
                rejected.add(new Rejection(
                        line.number(),
                        FailureCode.PAYLOAD_TOO_LARGE,
                        "the line is longer than " + LineFramer.MAX_LINE_BYTES + " bytes"));
                continue;
            }
            try {
                Item item = item(line, session, ids);
                if (groups.isEmpty() || !names.add(name(item.memory()))) {
                    groups.add(new ArrayList<>());
                    names.clear();
                    names.add(name(item.memory()));
                }
                groups.get(groups.size() - 1).add(item);
            } catch (FailureException e) {
                rejected.add(new Rejection(line.number(), e.code(), e.detail()));
            }
        }
        return new ParsedBatch(groups, rejected);
    }

    private static Item item(Line line, @Nullable String session, Supplier<UUID> ids) {
        JsonObject object = StrictJson.line(line.utf8());
        if (session != null && object.getValue("session") == null) {
            object.put("session", session);
        }
        ExportedMemory memory = MemoryJson.imported(object);
        boolean named = memory.id() != null || memory.draft().externalId() != null;
        return new Item(line.number(), named ? memory : new ExportedMemory(ids.get(), memory.draft()), named);
    }

    /** What makes two lines one memory. */
    private static Object name(ExportedMemory memory) {
        MemoryDraft draft = memory.draft();
        return draft.externalId() == null ? String.valueOf(memory.id()) : List.of(draft.externalId());
    }
}
