package io.recallgate.recall.json;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.MemoryAccess;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryPage;
import io.recallgate.recall.api.MemoryPatch;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.StoredMemory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Memories in JSON. */
public final class MemoryJson {

    /** The most bytes of UTF-8 in one content. */
    public static final int MAX_CONTENT_BYTES = 1 << 20;

    /** The most bytes of UTF-8 in all contents of one write: what it may hold in memory several times over. */
    public static final long MAX_WRITE_BYTES = 16L << 20;

    private static final Set<String> FIELDS = Set.of(
            "content",
            "kind",
            "role",
            "author",
            "session",
            "occurred_at",
            "pinned",
            "external_id",
            "metadata",
            "supersedes");

    private static final Set<String> EXPORTED_FIELDS = Stream.concat(
                    FIELDS.stream(), Stream.of("id", "access_count", "last_accessed_at"))
            .collect(Collectors.toUnmodifiableSet());

    private MemoryJson() {}

    /**
     * The drafts of a write: {@code {"memories":[…]}} with 1 to {@link MemoryService#MAX_DRAFTS} entries, or one object.
     *
     * @throws FailureException naming the field, such as {@code memories[3].content}
     */
    public static List<MemoryDraft> drafts(JsonObject body) {
        if (!body.containsKey("memories")) {
            return List.of(draft(body, ""));
        }
        JsonFields fields = new JsonFields(body, "");
        fields.only(Set.of("memories"));
        JsonArray array = fields.array("memories");
        if (array == null || array.isEmpty() || array.size() > MemoryService.MAX_DRAFTS) {
            throw fields.invalid("memories", "must have 1 to " + MemoryService.MAX_DRAFTS + " entries");
        }
        List<MemoryDraft> drafts = new ArrayList<>(array.size());
        long bytes = 0;
        for (int i = 0; i < array.size(); i++) {
            String path = "memories[" + i + "]";
            if (!(array.getValue(i) instanceof JsonObject object)) {
                throw FailureException.ofField(FailureCode.INVALID_FIELD, path, path + " must be an object");
            }
            MemoryDraft draft = draft(object, path);
            bytes += TextRules.requireClean(path, draft.content());
            if (bytes > MAX_WRITE_BYTES) {
                throw FailureException.ofField(
                        FailureCode.PAYLOAD_TOO_LARGE,
                        "memories",
                        "the contents are larger than " + MAX_WRITE_BYTES + " bytes together; send fewer at a time");
            }
            drafts.add(draft);
        }
        requireDistinct(drafts);
        return drafts;
    }

    /**
     * One draft.
     *
     * @param path where it stands, empty for the body itself
     */
    public static MemoryDraft draft(JsonObject object, String path) {
        JsonFields fields = new JsonFields(object, path);
        fields.only(FIELDS);
        return draft(fields);
    }

    /**
     * One line of an import: a draft, and the id it had if it was exported.
     *
     * @throws FailureException naming the field
     */
    public static ExportedMemory imported(JsonObject object) {
        JsonFields fields = new JsonFields(object, "");
        fields.only(EXPORTED_FIELDS);
        return new ExportedMemory(fields.uuid("id"), draft(fields), access(fields));
    }

    /** One line of an export: every field that an import takes. */
    public static JsonObject exported(ExportedMemory memory) {
        JsonObject line = new JsonObject();
        if (memory.id() != null) {
            line.put("id", memory.id().toString());
        }
        line.mergeIn(object(memory.draft()));
        MemoryAccess access = memory.access();
        if (access != null) {
            line.put("access_count", Math.min(access.count(), Integer.MAX_VALUE))
                    .put("last_accessed_at", access.lastAt().toString());
        }
        return line;
    }

    private static @Nullable MemoryAccess access(JsonFields fields) {
        Integer count = fields.integer("access_count", 0, Integer.MAX_VALUE);
        Instant lastAt = fields.instant("last_accessed_at");
        if (count == null || count == 0) {
            return null;
        }
        if (lastAt == null) {
            throw fields.invalid("last_accessed_at", "must be there with access_count");
        }
        return new MemoryAccess(count, lastAt);
    }

    private static List<String> supersedes(JsonFields fields) {
        JsonArray array = fields.array("supersedes");
        if (array == null) {
            return List.of();
        }
        if (array.size() > MemoryDraft.MAX_SUPERSEDES) {
            throw fields.invalid("supersedes", "must have at most " + MemoryDraft.MAX_SUPERSEDES + " entries");
        }
        Set<String> references = new LinkedHashSet<>();
        for (int i = 0; i < array.size(); i++) {
            String path = "supersedes[" + i + "]";
            if (!(array.getValue(i) instanceof String reference) || reference.isEmpty() || reference.length() > 200) {
                throw fields.invalid(path, "must be an id or an external_id, of 1 to 200 characters");
            }
            TextRules.requireClean(fields.path(path), reference);
            references.add(reference);
        }
        return List.copyOf(references);
    }

    private static MemoryDraft draft(JsonFields fields) {
        MemoryKind kind = fields.choice("kind", MemoryKind.values(), MemoryKind::wireName);
        return new MemoryDraft(
                content(fields),
                kind == null ? MemoryKind.NOTE : kind,
                fields.name("role", 100),
                fields.name("author", 200),
                fields.name("session", 200),
                fields.instant("occurred_at"),
                fields.flag("pinned", false),
                fields.name("external_id", 200),
                MetadataRules.require(fields.path("metadata"), fields.object("metadata")),
                supersedes(fields));
    }

    /**
     * A merge patch (RFC 7396), checked as far as that is possible without the memory.
     *
     * @throws FailureException naming the field
     */
    public static MemoryPatch patch(JsonObject body) {
        new JsonFields(body, "").only(FIELDS);
        MemoryPatch patch = new MemoryPatch(body);
        apply(patch, new MemoryDraft("x", MemoryKind.NOTE, null, null, null, null, false, null, new JsonObject()));
        return patch;
    }

    /**
     * The draft as it is after the patch.
     *
     * @throws FailureException naming the field; the merged metadata may be what is too large
     */
    public static MemoryDraft apply(MemoryPatch patch, MemoryDraft draft) {
        return draft(MergePatch.apply(object(draft), patch.fields()), "");
    }

    /** A draft as its writer would send it. */
    public static JsonObject object(MemoryDraft draft) {
        JsonObject object = new JsonObject()
                .put("content", draft.content())
                .put("kind", draft.kind().wireName())
                .put("role", draft.role())
                .put("author", draft.author())
                .put("session", draft.session())
                .put(
                        "occurred_at",
                        draft.occurredAt() == null ? null : draft.occurredAt().toString())
                .put("pinned", draft.pinned())
                .put("external_id", draft.externalId())
                .put("metadata", draft.metadata());
        return draft.supersedes().isEmpty() ? object : object.put("supersedes", new JsonArray(draft.supersedes()));
    }

    /** The answer to a write. */
    public static JsonObject stored(List<StoredMemory> memories) {
        JsonArray array = new JsonArray();
        for (StoredMemory memory : memories) {
            array.add(new JsonObject()
                    .put("id", memory.id().toString())
                    .put("external_id", memory.externalId())
                    .put("state", memory.state().wireName())
                    .put("content_hash", memory.contentHash())
                    .put("change", memory.change().wireName()));
        }
        return new JsonObject().put("memories", array);
    }

    /** The answer to a list. */
    public static JsonObject page(MemoryPage page) {
        JsonArray array = new JsonArray();
        page.memories().forEach(memory -> array.add(memory.toJson()));
        return new JsonObject().put("memories", array).put("next_cursor", page.nextCursor());
    }

    /**
     * Refuses two drafts with one external id: which of them should win is not ours to choose.
     *
     * @throws FailureException {@code invalid-field} naming the second one
     */
    public static void requireDistinct(List<MemoryDraft> drafts) {
        Map<String, Integer> seen = new HashMap<>();
        for (int i = 0; i < drafts.size(); i++) {
            String id = drafts.get(i).externalId();
            Integer first = id == null ? null : seen.putIfAbsent(id, i);
            if (first != null) {
                String path = "memories[" + i + "].external_id";
                throw FailureException.ofField(
                        FailureCode.INVALID_FIELD, path, path + " is the same as that of memories[" + first + "]");
            }
        }
    }

    /**
     * Refuses two memories that are one by their ids.
     *
     * @throws FailureException {@code invalid-field} naming the second one
     */
    public static void requireDistinctMemories(List<ExportedMemory> memories) {
        requireDistinct(memories.stream().map(ExportedMemory::draft).toList());
        Set<UUID> seen = new HashSet<>();
        for (int i = 0; i < memories.size(); i++) {
            ExportedMemory memory = memories.get(i);
            if (memory.id() != null && memory.draft().externalId() == null && !seen.add(memory.id())) {
                String path = "memories[" + i + "].id";
                throw FailureException.ofField(FailureCode.INVALID_FIELD, path, path + " is there twice");
            }
        }
    }

    private static String content(JsonFields fields) {
        if (!fields.has("content")) {
            throw fields.invalid("content", "is missing");
        }
        String content = fields.text("content");
        if (content == null || content.isBlank()) {
            throw fields.invalid("content", "must not be empty");
        }
        if (TextRules.requireClean(fields.path("content"), content) > MAX_CONTENT_BYTES) {
            throw FailureException.ofField(
                    FailureCode.PAYLOAD_TOO_LARGE,
                    fields.path("content"),
                    fields.path("content") + " is larger than " + MAX_CONTENT_BYTES + " bytes of UTF-8");
        }
        return content;
    }
}
