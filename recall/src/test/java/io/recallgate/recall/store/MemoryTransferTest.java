package io.recallgate.recall.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.recall.Await;
import io.recallgate.recall.RecordingVectorIndex;
import io.recallgate.recall.api.ExportPage;
import io.recallgate.recall.api.ExportQuery;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryPatch;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.api.StoredMemory.Change;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memories that leave a project and come back, or enter another. */
class MemoryTransferTest extends StoreTest {

    private MemoryStore store;
    private Scope scope;
    private Scope other;

    @BeforeEach
    void newOwners() {
        store = store(new RecordingVectorIndex(), "f1");
        scope = new Scope("owner-" + UUID.randomUUID(), "");
        other = new Scope("other-" + UUID.randomUUID(), "p");
    }

    @Test
    void whatIsImportedGivesWayAndWhatIsWrittenDoesNot() {
        Promise<Void> turn = Promise.promise();
        store = store(new RecordingVectorIndex(), "f1", turn::future);

        Future<List<StoredMemory>> imported =
                store.restore(scope, List.of(new ExportedMemory(null, note("imported", null))), soon());
        remember(scope, note("written", null));

        assertThat(export(scope, null))
                .extracting(memory -> memory.draft().content())
                .containsExactly("written");

        turn.complete();

        assertThat(Await.result(imported)).hasSize(1);
    }

    @Test
    void anExportHasEveryFieldInTheOrderOfStoring() {
        MemoryDraft full = new MemoryDraft(
                "Mina moved to 京都 🏯",
                MemoryKind.TURN,
                "user",
                "Mina",
                "s1",
                Instant.parse("2026-05-08T13:56:00.123456Z"),
                true,
                "e1",
                new JsonObject("{\"a\":{\"b\":[1,2.5,\"x\",null]}}"));
        List<StoredMemory> stored = remember(scope, full, note("plain", null), note("last", "e0"));

        List<ExportedMemory> exported = export(scope, null);

        assertThat(exported)
                .extracting(ExportedMemory::id)
                .containsExactlyElementsOf(stored.stream().map(StoredMemory::id).toList());
        assertThat(exported.get(0).draft()).isEqualTo(full);
        assertThat(export(scope, "s1"))
                .extracting(memory -> memory.draft().content())
                .containsExactly(full.content());
        assertThat(export(other, null)).isEmpty();
    }

    @Test
    void partsAreBoundedInRowsAndInBytesAndMissNothing() {
        List<String> contents = new ArrayList<>();
        for (int i = 0; i < 1_200; i++) {
            contents.add("short " + i);
        }
        for (int i = 0; i < 5; i++) {
            contents.add(i + "x".repeat(700_000));
        }
        for (int from = 0; from < contents.size(); from += 1_000) {
            Await.result(store.remember(
                    scope,
                    contents.subList(from, Math.min(contents.size(), from + 1_000)).stream()
                            .map(content -> note(content, null))
                            .toList(),
                    soon()));
        }

        List<String> exported = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        for (ExportQuery query = ExportQuery.of(null); query != null; ) {
            ExportPage page = Await.result(store.export(scope, query, soon()));
            page.memories().forEach(memory -> exported.add(memory.draft().content()));
            sizes.add(page.memories().size());
            query = page.next();
        }

        assertThat(exported).isEqualTo(contents);
        // 500 rows; then as many large ones as pass 1 MiB, the one that passes it included.
        assertThat(sizes).containsExactly(500, 500, 202, 2, 1);
    }

    @Test
    void whatIsStoredAfterAnExportBeganIsNotInIt() {
        remember(scope, note("before", null));
        ExportPage first = Await.result(store.export(scope, ExportQuery.of("none"), soon()));
        assertThat(first.memories()).isEmpty();
        assertThat(first.next()).isNull();

        ExportQuery begun = new ExportQuery(null, 0, last(scope));
        remember(scope, note("after", null));

        assertThat(Await.result(store.export(scope, begun, soon())).memories())
                .extracting(memory -> memory.draft().content())
                .containsExactly("before");
    }

    @Test
    void restoringAnExportWhereItCameFromChangesNothing() {
        remember(scope, note("a", null), note("b", "e1"), note("c", null));
        List<ExportedMemory> exported = export(scope, null);

        assertThat(changes(restore(scope, exported))).containsOnly(Change.UNCHANGED);
        assertThat(export(scope, null)).isEqualTo(exported);
    }

    @Test
    void restoringAnExportTwiceElsewhereStoresItOnceAndJustSo() {
        remember(scope, note("a", null), note("b", "e1"), note("c", null));
        List<ExportedMemory> exported = export(scope, null);

        List<StoredMemory> first = restore(other, exported);
        List<StoredMemory> second = restore(other, exported);

        assertThat(changes(first)).containsOnly(Change.STORED);
        assertThat(changes(second)).containsOnly(Change.UNCHANGED);
        assertThat(second)
                .extracting(StoredMemory::id)
                .isEqualTo(first.stream().map(StoredMemory::id).toList());
        assertThat(export(other, null))
                .extracting(ExportedMemory::draft)
                .isEqualTo(exported.stream().map(ExportedMemory::draft).toList());
    }

    @Test
    void anotherOwnersIdIsNeitherTakenNorChangedNorRevealed() {
        UUID theirs = remember(scope, note("theirs", null)).get(0).id();
        UUID nobodys = new UUID(theirs.getMostSignificantBits(), 7);

        List<StoredMemory> mine = restore(
                other,
                List.of(
                        new ExportedMemory(theirs, note("mine", null)),
                        new ExportedMemory(nobodys, note("too", null))));

        // Both look the same: an id that exists elsewhere and one that exists nowhere.
        assertThat(changes(mine)).containsOnly(Change.STORED);
        assertThat(mine).extracting(StoredMemory::id).doesNotContain(theirs, nobodys);
        assertThat(Await.result(store.get(scope, theirs, soon())).draft().content())
                .isEqualTo("theirs");
    }

    @Test
    void aRestoredIdDependsOnTheOwnerAndTheProjectAndTellsThemApart() {
        UUID id = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");

        List<UUID> ids = List.of(
                MemoryIds.restored(new Scope("a", "b"), id),
                MemoryIds.restored(new Scope("a", ""), id),
                MemoryIds.restored(new Scope("ab", ""), id),
                MemoryIds.restored(new Scope("a", "b"), new UUID(id.getMostSignificantBits(), 0)));

        assertThat(ids).doesNotHaveDuplicates().allSatisfy(restored -> {
            assertThat(restored.version()).isEqualTo(8);
            assertThat(restored.variant()).isEqualTo(2);
            assertThat(restored.toString()).startsWith("01890a5d-ac96-");
        });
        assertThat(MemoryIds.restored(new Scope("a", "b"), id)).isEqualTo(ids.get(0));
    }

    @Test
    void aMemoryThatGotAnExternalIdSinceIsStillTheSameAndKeepsIt() {
        UUID id = remember(scope, note("a", null)).get(0).id();
        Await.result(
                store.patch(scope, id, new MemoryPatch(new JsonObject().put("external_id", "given later")), soon()));

        List<StoredMemory> restored = restore(scope, List.of(new ExportedMemory(id, note("changed", null))));

        Memory memory = Await.result(store.get(scope, id, soon()));
        assertThat(changes(restored)).containsExactly(Change.UPDATED);
        assertThat(memory.draft().content()).isEqualTo("changed");
        assertThat(memory.draft().externalId()).isEqualTo("given later");
    }

    @Test
    void oneMemoryNamedInTwoWaysInOneWriteIsWrittenTwiceAndTheLaterWins() {
        UUID id = remember(scope, note("a", "e1")).get(0).id();

        List<StoredMemory> restored = restore(
                scope,
                List.of(new ExportedMemory(null, note("first", "e1")), new ExportedMemory(id, note("second", null))));

        assertThat(restored).extracting(StoredMemory::id).containsExactly(id, id);
        assertThat(export(scope, null))
                .extracting(memory -> memory.draft().content())
                .containsExactly("second");
    }

    @Test
    void oneIdTwiceInAWriteIsRefused() {
        UUID id = UUID.randomUUID();

        assertThatThrownBy(() -> restore(
                        scope,
                        List.of(new ExportedMemory(id, note("a", null)), new ExportedMemory(id, note("b", null)))))
                .hasMessageContaining("memories[1].id");
    }

    @Test
    void restoresOfTheSameExportAtOnceStoreItOnce() {
        List<ExportedMemory> exported = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            exported.add(new ExportedMemory(UUID.randomUUID(), note("m" + i, null)));
        }
        List<Future<List<StoredMemory>>> restores = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            restores.add(store.restore(scope, exported, soon()));
        }
        Await.result(Future.all(restores));

        assertThat(export(scope, null)).hasSize(200);
        assertThat(restores.stream()
                        .flatMap(restore -> changes(restore.result()).stream())
                        .filter(change -> change == Change.STORED))
                .hasSize(200);
    }

    private long last(Scope of) {
        return Long.parseLong(
                testDatabase.queryText("select max(position)::text from memory where owner = '" + of.owner() + "'"));
    }

    private List<ExportedMemory> export(Scope of, @Nullable String session) {
        List<ExportedMemory> all = new ArrayList<>();
        for (ExportQuery query = ExportQuery.of(session); query != null; ) {
            ExportPage page = Await.result(store.export(of, query, soon()));
            all.addAll(page.memories());
            query = page.next();
        }
        return all;
    }

    private List<StoredMemory> restore(Scope of, List<ExportedMemory> memories) {
        return Await.result(store.restore(of, memories, soon()));
    }

    private List<StoredMemory> remember(Scope of, MemoryDraft... drafts) {
        return Await.result(store.remember(of, List.of(drafts), soon()));
    }

    private static List<Change> changes(List<StoredMemory> stored) {
        return stored.stream().map(StoredMemory::change).toList();
    }

    private static MemoryDraft note(String content, @Nullable String externalId) {
        return new MemoryDraft(content, MemoryKind.NOTE, null, null, null, null, false, externalId, new JsonObject());
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
    }
}
