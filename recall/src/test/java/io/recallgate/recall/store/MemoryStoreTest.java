package io.recallgate.recall.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.RecordingVectorIndex;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryPage;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.api.StoredMemory.Change;
import io.recallgate.recall.json.MemoryJson;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemoryStoreTest extends StoreTest {

    private static final String FINGERPRINT = "f1";

    private RecordingVectorIndex vectors;
    private MemoryStore store;
    private Scope scope;

    @BeforeEach
    void newOwner() {
        vectors = new RecordingVectorIndex();
        store = store(vectors, FINGERPRINT);
        scope = new Scope("owner-" + UUID.randomUUID(), "");
    }

    @Test
    void aMemoryAndItsJobAreWrittenTogetherAndReadBackWhole() {
        MemoryDraft draft = new MemoryDraft(
                "Mina moved to 京都 🏯",
                MemoryKind.TURN,
                "user",
                "Mina",
                "s1",
                Instant.parse("2026-05-08T13:56:00.123456Z"),
                true,
                "e1",
                new JsonObject("{\"a\":{\"b\":[1,2.5,\"x\",null]}}"));

        StoredMemory stored = remember(draft).get(0);
        Memory memory = Await.result(store.get(scope, stored.id(), soon()));

        assertThat(stored.state()).isEqualTo(MemoryState.PENDING);
        assertThat(stored.change()).isEqualTo(Change.STORED);
        assertThat(stored.contentHash()).hasSize(64).isEqualTo(memory.contentHash());
        assertThat(memory.draft()).isEqualTo(draft);
        assertThat(memory.version()).isOne();
        assertThat(jobs(stored.id())).isEqualTo("available");
        assertThat(testDatabase.queryText("select words::text from memory where id = '" + stored.id() + "'"))
                .contains("'mina'", "'京都'");
    }

    @Test
    void aThousandMemoriesAreWrittenInOneTransactionInOrder() {
        List<MemoryDraft> drafts = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            // External ids in the reverse order: the order of the drafts must win.
            drafts.add(note("memory " + i, i % 2 == 0 ? String.format("e%04d", 1_000 - i) : null));
        }

        List<StoredMemory> stored = Await.result(store.remember(scope, drafts, soon()));
        MemoryPage page = list(new MemoryQuery(null, null, null, 200, null));

        assertThat(stored).hasSize(1_000).allMatch(memory -> memory.change() == Change.STORED);
        assertThat(count("memory")).isEqualTo("1000");
        assertThat(count("embedding_job")).isEqualTo("1000");
        assertThat(page.memories().get(0).draft().content()).isEqualTo("memory 999");
        assertThat(page.memories().get(199).draft().content()).isEqualTo("memory 800");
    }

    @Test
    void nothingIsStoredWhenOneOfManyCannotBe() {
        // Past the edge that refuses it, to see what the database does.
        List<MemoryDraft> drafts = List.of(note("good", null), note("bad \u0000", null));

        Await.failure(store.remember(scope, drafts, soon()), FailureCode.INVALID_TEXT);

        assertThat(count("memory")).isEqualTo("0");
        assertThat(count("embedding_job")).isEqualTo("0");
    }

    @Test
    void theSameExternalIdWithTheSameDraftChangesNothing() {
        StoredMemory first = remember(note("x", "e")).get(0);
        StoredMemory second = remember(note("x", "e")).get(0);

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.change()).isEqualTo(Change.UNCHANGED);
        assertThat(count("embedding_job")).isEqualTo("1");
        assertThat(Await.result(store.get(scope, first.id(), soon())).version()).isOne();
    }

    @Test
    void changedContentIsEmbeddedAnewAndItsOldVectorIsGone() {
        StoredMemory first = remember(note("x", "e")).get(0);
        embed(first.id());
        assertThat(Await.result(store.get(scope, first.id(), soon())).state()).isEqualTo(MemoryState.EMBEDDED);

        StoredMemory second = remember(note("y", "e")).get(0);

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.change()).isEqualTo(Change.UPDATED);
        assertThat(second.state()).isEqualTo(MemoryState.PENDING);
        assertThat(second.contentHash()).isNotEqualTo(first.contentHash());
        assertThat(jobs(first.id())).isEqualTo("done available");
        assertThat(count("memory_vector")).isEqualTo("0");
        assertThat(vectors.removed).containsExactly(first.id());
        assertThat(vectors.committed).containsExactly(scope);
        Memory memory = Await.result(store.get(scope, first.id(), soon()));
        assertThat(memory.draft().content()).isEqualTo("y");
        assertThat(memory.version()).isEqualTo(2);
    }

    @Test
    void changedMetadataUpdatesWithoutEmbeddingAgain() {
        StoredMemory first = remember(note("x", "e")).get(0);
        embed(first.id());
        MemoryDraft changed =
                new MemoryDraft("x", MemoryKind.NOTE, null, null, null, null, true, "e", new JsonObject().put("k", 1));

        StoredMemory second = remember(changed).get(0);

        assertThat(second.change()).isEqualTo(Change.UPDATED);
        assertThat(second.state()).isEqualTo(MemoryState.EMBEDDED);
        assertThat(jobs(first.id())).isEqualTo("done");
        assertThat(count("memory_vector")).isEqualTo("1");
    }

    @Test
    void aChangedAuthorIsEmbeddedAnewSinceItIsPartOfWhatIsEmbedded() {
        StoredMemory first = remember(note("x", "e")).get(0);
        MemoryDraft changed =
                new MemoryDraft("x", MemoryKind.NOTE, null, "Mina", null, null, false, "e", new JsonObject());

        assertThat(remember(changed).get(0).change()).isEqualTo(Change.UPDATED);
        assertThat(jobs(first.id())).isEqualTo("cancelled available");
    }

    @Test
    void aMixedBatchTellsForEachDraftWhatHappened() {
        remember(note("same", "e1"), note("old", "e2"));

        List<StoredMemory> stored =
                remember(note("new", "e3"), note("same", "e1"), note("free", null), note("x", "e2"));

        assertThat(stored)
                .extracting(StoredMemory::change)
                .containsExactly(Change.STORED, Change.UNCHANGED, Change.STORED, Change.UPDATED);
        assertThat(stored).extracting(StoredMemory::externalId).containsExactly("e3", "e1", null, "e2");
    }

    @Test
    void twoDraftsWithOneExternalIdAreRefusedNamingTheSecond() {
        assertThat(Await.failure(
                                store.remember(scope, List.of(note("a", "e"), note("b", "e")), soon()),
                                FailureCode.INVALID_FIELD)
                        .field())
                .isEqualTo("memories[1].external_id");
    }

    @Test
    void manyWritersOfTheSameExternalIdsMakeOneMemoryOfEach() {
        List<Future<List<StoredMemory>>> writes = new ArrayList<>();
        for (int writer = 0; writer < 12; writer++) {
            List<MemoryDraft> drafts = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int id = writer % 2 == 0 ? i : 19 - i;
                drafts.add(note("content of writer " + writer, "e" + id));
            }
            writes.add(store.remember(scope, drafts, soon()));
        }

        List<List<StoredMemory>> results = new ArrayList<>();
        writes.forEach(write -> results.add(Await.result(write)));

        assertThat(count("memory")).isEqualTo("20");
        assertThat(results.stream().flatMap(List::stream).map(StoredMemory::id).distinct())
                .hasSize(20);
        assertThat(results.stream().flatMap(List::stream).filter(memory -> memory.change() == Change.STORED))
                .hasSize(20);
        assertThat(testDatabase.queryText("select count(*) from embedding_job where owner = '" + scope.owner()
                        + "' and state = 'available'"))
                .isEqualTo("20");
    }

    @Test
    void pagesFollowEachOtherAndFiltersApply() {
        for (int i = 0; i < 5; i++) {
            remember(new MemoryDraft(
                    "m" + i,
                    i % 2 == 0 ? MemoryKind.TURN : MemoryKind.NOTE,
                    null,
                    null,
                    i < 3 ? "s" : null,
                    null,
                    false,
                    null,
                    new JsonObject()));
        }
        MemoryPage first = list(new MemoryQuery(null, null, null, 2, null));
        MemoryPage second = list(new MemoryQuery(null, null, null, 2, first.nextCursor()));
        MemoryPage third = list(new MemoryQuery(null, null, null, 2, second.nextCursor()));

        assertThat(contents(first)).containsExactly("m4", "m3");
        assertThat(contents(second)).containsExactly("m2", "m1");
        assertThat(contents(third)).containsExactly("m0");
        assertThat(third.nextCursor()).isNull();
        assertThat(contents(list(new MemoryQuery("s", MemoryKind.TURN, null, 10, null))))
                .containsExactly("m2", "m0");
        assertThat(contents(list(new MemoryQuery(null, null, MemoryState.EMBEDDED, 10, null))))
                .isEmpty();
        assertThat(contents(list(new MemoryQuery(null, null, MemoryState.PENDING, 10, null))))
                .hasSize(5);
    }

    @Test
    void aCursorThatIsNotOursIsRefused() {
        for (String cursor : List.of("", "x", "AAAAAAAAAAAAAAAA", "ü", "9".repeat(10_000))) {
            assertThat(Await.failure(
                                    store.list(scope, new MemoryQuery(null, null, null, 10, cursor), soon()),
                                    FailureCode.INVALID_FIELD)
                            .field())
                    .isEqualTo("cursor");
        }
    }

    @Test
    void aPatchChangesWhatItNamesAndReembedsOnlyForContent() {
        UUID id = remember(note("x", "e")).get(0).id();
        embed(id);

        Memory pinned = patch(id, "{\"pinned\":true,\"metadata\":{\"a\":1}}");
        assertThat(pinned.draft().pinned()).isTrue();
        assertThat(pinned.state()).isEqualTo(MemoryState.EMBEDDED);
        assertThat(pinned.version()).isEqualTo(2);

        Memory rewritten = patch(id, "{\"content\":\"y\",\"metadata\":{\"b\":2}}");
        assertThat(rewritten.draft().metadata()).isEqualTo(new JsonObject("{\"a\":1,\"b\":2}"));
        assertThat(rewritten.state()).isEqualTo(MemoryState.PENDING);
        assertThat(jobs(id)).isEqualTo("done available");

        assertThat(patch(id, "{\"content\":\"y\"}").version()).isEqualTo(3);
    }

    @Test
    void concurrentPatchesAllTakeEffect() {
        UUID id = remember(note("x", null)).get(0).id();
        List<Future<Memory>> patches = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            patches.add(store.patch(
                    scope, id, MemoryJson.patch(new JsonObject("{\"metadata\":{\"k" + i + "\":1}}")), soon()));
        }
        patches.forEach(Await::result);

        Memory memory = Await.result(store.get(scope, id, soon()));
        assertThat(memory.draft().metadata().fieldNames()).containsExactlyInAnyOrder("k0", "k1", "k2", "k3");
        assertThat(memory.version()).isEqualTo(5);
    }

    @Test
    void aPatchCannotTakeAnotherMemorysExternalId() {
        remember(note("a", "taken"));
        UUID id = remember(note("b", "mine")).get(0).id();

        assertThat(Await.failure(
                                store.patch(
                                        scope,
                                        id,
                                        MemoryJson.patch(new JsonObject("{\"external_id\":\"taken\"}")),
                                        soon()),
                                FailureCode.CONFLICT)
                        .field())
                .isEqualTo("external_id");
    }

    @Test
    void deletingRemovesTheMemoryItsVectorsAndItsJobs() {
        UUID id = remember(note("x", "e")).get(0).id();
        embed(id);

        Await.result(store.delete(scope, id, soon()));

        assertThat(count("memory") + count("embedding_job") + count("memory_vector"))
                .isEqualTo("000");
        assertThat(vectors.removed).containsExactly(id);
        Await.failure(store.delete(scope, id, soon()), FailureCode.NOT_FOUND);
        Await.failure(store.get(scope, id, soon()), FailureCode.NOT_FOUND);
    }

    @Test
    void deletingASessionRemovesItAndNothingElse() {
        for (int i = 0; i < 3; i++) {
            remember(new MemoryDraft(
                    "m" + i, MemoryKind.TURN, null, null, "s" + i % 2, null, false, null, new JsonObject()));
        }

        assertThat(Await.result(store.deleteSession(scope, "s0", soon()))).isEqualTo(2);
        assertThat(Await.result(store.deleteSession(scope, "s0", soon()))).isZero();
        assertThat(contents(list(new MemoryQuery(null, null, null, 10, null)))).containsExactly("m1");
    }

    @Test
    void deletingASessionRemovesVectorsFinishedJobsAndPendingWorkOfItAlone() {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ids.add(remember(new MemoryDraft(
                            "m" + i, MemoryKind.TURN, null, null, "s" + i % 2, null, false, null, new JsonObject()))
                    .get(0)
                    .id());
        }
        embed(ids.get(0));
        embed(ids.get(1));

        Await.result(store.deleteSession(scope, "s0", soon()));

        assertThat(count("memory") + count("embedding_job") + count("memory_vector"))
                .isEqualTo("221");
        assertThat(jobs(ids.get(0)) + jobs(ids.get(2))).isEqualTo("nullnull");
        assertThat(jobs(ids.get(1)) + " " + jobs(ids.get(3))).isEqualTo("done available");
        assertThat(vectors.removed).containsExactlyInAnyOrder(ids.get(0), ids.get(2));
    }

    @Test
    void aDeletionThatRacesAnUpdateLeavesAllOfItOrNothing() {
        for (int round = 0; round < 20; round++) {
            String external = "race" + round;
            UUID id = remember(note("before " + round, external)).get(0).id();
            embed(id);
            List<Future<?>> racers = List.of(
                    store.patch(scope, id, MemoryJson.patch(new JsonObject("{\"content\":\"after\"}")), soon()),
                    store.delete(scope, id, soon()),
                    store.remember(scope, List.of(note("again " + round, external)), soon()));
            for (Future<?> racer : racers) {
                try {
                    Await.result(racer);
                } catch (FailureException lost) {
                    assertThat(lost.code()).isEqualTo(FailureCode.NOT_FOUND);
                }
            }
            // Whoever won, what is there has exactly one open job for its content, and no vector of another content.
            String memories = "memory m where m.owner = '" + scope.owner() + "' and m.external_id = '" + external + "'";
            assertThat(testDatabase.queryText("select count(*) from " + memories
                            + " and (select count(*) from embedding_job j where j.memory_id = m.id and j.content_hash ="
                            + " m.content_hash and j.state = 'available') <> 1"))
                    .isEqualTo("0");
            assertThat(testDatabase.queryText("select count(*) from memory_vector v join "
                            + memories.replace(
                                    "where", "on v.memory_id = m.id and v.content_hash <> m.content_hash where")))
                    .isEqualTo("0");
        }
    }

    @Test
    void anotherOwnerOrProjectSeesAndChangesNothing() {
        UUID id = remember(note("secret", "e")).get(0).id();
        for (Scope other : List.of(new Scope(scope.owner(), "project"), new Scope("someone", ""))) {
            Await.failure(store.get(other, id, soon()), FailureCode.NOT_FOUND);
            Await.failure(store.delete(other, id, soon()), FailureCode.NOT_FOUND);
            Await.failure(
                    store.patch(other, id, MemoryJson.patch(new JsonObject("{\"pinned\":true}")), soon()),
                    FailureCode.NOT_FOUND);
            assertThat(Await.result(store.list(other, new MemoryQuery(null, null, null, 10, null), soon()))
                            .memories())
                    .isEmpty();
            assertThat(Await.result(store.deleteSession(other, "s", soon()))).isZero();
            assertThat(Await.result(store.remember(other, List.of(note("mine", "e")), soon()))
                            .get(0)
                            .id())
                    .isNotEqualTo(id);
            testDatabase.execute(
                    "delete from memory where owner = '" + other.owner() + "' and project = '" + other.project() + "'");
        }
        assertThat(Await.result(store.get(scope, id, soon())).draft().content()).isEqualTo("secret");
    }

    @Test
    void aPassedDeadlineWritesNothing() {
        Await.failure(
                store.remember(scope, List.of(note("x", null)), Deadline.afterMillis(SystemClock.INSTANCE, 0)),
                FailureCode.DEADLINE_EXCEEDED);
        assertThat(count("memory")).isEqualTo("0");
    }

    @Test
    void aMegabyteOfTextIsStored() {
        UUID id = remember(note("words and words ".repeat(65_536), null)).get(0).id();

        assertThat(Await.result(store.get(scope, id, soon())).draft().content()).hasSize(1_048_576);
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
    }

    private List<StoredMemory> remember(MemoryDraft... drafts) {
        return Await.result(store.remember(scope, List.of(drafts), soon()));
    }

    private MemoryPage list(MemoryQuery query) {
        return Await.result(store.list(scope, query, soon()));
    }

    private Memory patch(UUID id, String json) {
        return Await.result(store.patch(scope, id, MemoryJson.patch(new JsonObject(json)), soon()));
    }

    private static MemoryDraft note(String content, @Nullable String externalId) {
        return new MemoryDraft(content, MemoryKind.NOTE, null, null, null, null, false, externalId, new JsonObject());
    }

    private static List<String> contents(MemoryPage page) {
        return page.memories().stream().map(memory -> memory.draft().content()).toList();
    }

    /** As the job runner would. */
    private void embed(UUID id) {
        testDatabase.execute("update embedding_job set state = 'running', attempt = 1, leased_by = 'test',"
                + " lease_until = now() where memory_id = '" + id + "';"
                + "update embedding_job set state = 'done', leased_by = null, lease_until = null, finished_at = now()"
                + " where memory_id = '" + id + "';"
                + "insert into memory_vector (memory_id, fingerprint, owner, project, content_hash, dimensions, vector)"
                + " select id, '" + FINGERPRINT + "', owner, project, content_hash, 1, '\\x0000803f' from memory"
                + " where id = '" + id + "'");
    }

    private String jobs(UUID id) {
        return testDatabase.queryText(
                "select string_agg(state, ' ' order by id) from embedding_job where memory_id = '" + id + "'");
    }

    private String count(String table) {
        return testDatabase.queryText("select count(*) from " + table + " where owner = '" + scope.owner() + "'");
    }
}
