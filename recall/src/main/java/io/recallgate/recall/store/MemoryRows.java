package io.recallgate.recall.store;

import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryAccess;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryState;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Rows of the table {@code memory}, with the columns that {@code sql/store} names. */
public final class MemoryRows {

    private MemoryRows() {}

    /** A whole memory, from a row with all columns of {@code sql/store/get.sql}. */
    public static Memory memory(Row row) {
        return new Memory(
                row.getUUID("id"),
                draft(row),
                state(row),
                row.getInteger("passages"),
                row.getBoolean("incomplete"),
                hash(row),
                row.getLong("version"),
                row.getOffsetDateTime("created_at").toInstant(),
                row.getOffsetDateTime("updated_at").toInstant(),
                List.of(row.getArrayOfUUIDs("superseded_by")),
                access(row));
    }

    /** How often it was recalled, null if never. */
    static @Nullable MemoryAccess access(Row row) {
        OffsetDateTime lastAt = row.getOffsetDateTime("last_accessed_at");
        return lastAt == null ? null : new MemoryAccess(row.getLong("access_count"), lastAt.toInstant());
    }

    static MemoryState state(Row row) {
        return MemoryState.valueOf(row.getString("state").toUpperCase(Locale.ROOT));
    }

    static String hash(Row row) {
        return HexFormat.of().formatHex(row.getBuffer("content_hash").getBytes());
    }

    /**
     * The fields a writer gave; the content is empty where the statement does not read it, as when only its hash is
     * compared.
     */
    static MemoryDraft draft(Row row) {
        int content = row.getColumnIndex("content");
        OffsetDateTime occurredAt = row.getOffsetDateTime("occurred_at");
        Instant occurred = occurredAt == null ? null : occurredAt.toInstant();
        return new MemoryDraft(
                content < 0 ? "" : row.getString(content),
                MemoryKind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                text(row, "role"),
                text(row, "author"),
                text(row, "session"),
                occurred,
                row.getBoolean("pinned"),
                text(row, "external_id"),
                row.get(JsonObject.class, "metadata"),
                List.of(row.getArrayOfStrings("supersedes")));
    }

    private static @Nullable String text(Row row, String column) {
        return row.getString(column);
    }
}
