package io.recallgate.recall.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.RecordingVectorIndex;
import io.recallgate.recall.api.ExportQuery;
import io.recallgate.recall.api.ExportedMemory;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryAccess;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryPatch;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memories that stand in for others. */
class SupersessionTest extends StoreTest {

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
    void aMemorySupersedesOthersByIdAndByExternalIdAndTheyKnow() {
        UUID first = remember(draft("Mina lives in Kyoto", "home-1")).get(0).id();
        UUID second = remember(draft("Mina lives in Oslo", null)).get(0).id();

        UUID third = remember(draft("Mina lives in Rome", "home-3", "home-1", second.toString()))
                .get(0)
                .id();

        assertThat(get(third).draft().supersedes()).containsExactlyInAnyOrder(first.toString(), second.toString());
        assertThat(get(third).supersededBy()).isEmpty();
        assertThat(get(first).supersededBy()).containsExactly(third);
        assertThat(get(second).toJson().getJsonArray("superseded_by")).isEqualTo(new JsonArray().add(third.toString()));
        assertThat(marked()).isEqualTo("home-1 -");
    }

    @Test
    void oneOfTheSameWriteMayBeSuperseded() {
        List<StoredMemory> stored = remember(draft("new", "b", "a"), draft("old", "a"));

        assertThat(get(stored.get(1).id()).supersededBy())
                .containsExactly(stored.get(0).id());
    }

    @Test
    void whatIsNotThereOrAnothersIsRefusedAndNothingIsStored() {
        UUID theirs = Await.result(store.remember(other, List.of(draft("theirs", "x")), soon()))
                .get(0)
                .id();

        for (String reference :
                List.of("x", theirs.toString(), UUID.randomUUID().toString())) {
            assertInvalid("supersedes[0]", store.remember(scope, List.of(draft("mine", "m", reference)), soon()));
            assertInvalid(
                    "memories[1].supersedes[1]",
                    store.remember(scope, List.of(draft("a", "a"), draft("mine", "m", "a", reference)), soon()));
        }

        assertThat(text("select count(*) from memory where owner = '" + scope.owner() + "'"))
                .isEqualTo("0");
        assertThat(text("select superseded from memory where id = '" + theirs + "'"))
                .isEqualTo("f");
    }

    @Test
    void aCircleIsRefusedWhateverItsLength() {
        assertInvalid("supersedes", store.remember(scope, List.of(draft("itself", "a", "a")), soon()));
        remember(draft("one", "1"), draft("two", "2", "1"), draft("three", "3", "2"));

        assertInvalid("supersedes", store.remember(scope, List.of(draft("one", "1", "3")), soon()));
        assertInvalid(
                "memories[1].supersedes",
                store.remember(scope, List.of(draft("four", "4", "3"), draft("one", "1", "4")), soon()));
        UUID one = UUID.fromString(
                text("select id from memory where owner = '" + scope.owner() + "' and external_id = '1'"));
        assertInvalid("supersedes", store.patch(scope, one, patch("supersedes", "2"), soon()));

        assertThat(get(one).draft().supersedes()).isEmpty();
        assertThat(marked()).isEqualTo("1 2");
    }

    @Test
    void twoWritersCannotCloseACircleTogether() {
        for (int round = 0; round < 10; round++) {
            String a = "a" + round;
            String b = "b" + round;
            remember(draft("a", a), draft("b", b));
            List<Future<?>> both = List.of(
                    store.remember(scope, List.of(draft("a", a, b)), soon()),
                    store.remember(scope, List.of(draft("b", b, a)), soon()));
            int failed = 0;
            for (Future<?> one : both) {
                try {
                    Await.result(one.mapEmpty());
                } catch (FailureException | AssertionError e) {
                    failed++;
                }
            }
            assertThat(failed).isOne();
        }
    }

    @Test
    void itEndsWithTheMemoryThatSupersedesAndNotBeforeTheLastOfThem() {
        UUID old = remember(draft("old", "old")).get(0).id();
        UUID one = remember(draft("one", "one", "old")).get(0).id();
        UUID two = remember(draft("two", "two", "old")).get(0).id();
        assertThat(get(old).supersededBy()).containsExactlyInAnyOrder(one, two);

        Await.result(store.delete(scope, one, soon()));
        assertThat(marked()).isEqualTo("old");
        Await.result(store.delete(scope, two, soon()));
        assertThat(marked()).isEqualTo("");
        assertThat(get(old).supersededBy()).isEmpty();
    }

    @Test
    void twoThatGoAtOnceLeaveNoMarkBehind() {
        for (int round = 0; round < 10; round++) {
            UUID old = remember(draft("old", "old" + round)).get(0).id();
            List<Future<?>> gone = new ArrayList<>();
            for (StoredMemory by : remember(draft("1", null, "old" + round), draft("2", null, "old" + round))) {
                gone.add(store.delete(scope, by.id(), soon()));
            }
            gone.forEach(one -> Await.result(one.mapEmpty()));
            assertThat(text("select superseded from memory where id = '" + old + "'"))
                    .isEqualTo("f");
        }
    }

    @Test
    void aPatchAndAnotherDraftChangeItAndAnUnrelatedOneDoesNot() {
        remember(draft("a", "a"), draft("b", "b"));
        UUID id = remember(draft("new", "new", "a")).get(0).id();

        assertThat(remember(draft("new", "new", "a")).get(0).change()).isEqualTo(StoredMemory.Change.UNCHANGED);
        Await.result(store.patch(scope, id, new MemoryPatch(new JsonObject("{\"pinned\":true}")), soon()));
        assertThat(marked()).isEqualTo("a");
        Memory patched = Await.result(store.patch(scope, id, patch("supersedes", "b"), soon()));
        assertThat(marked()).isEqualTo("b");
        assertThat(patched.draft().supersedes()).hasSize(1);
        assertInvalid("supersedes[1]", store.patch(scope, id, patch("supersedes", "a", "nothing"), soon()));
        assertThat(marked()).isEqualTo("b");
        Await.result(store.patch(scope, id, new MemoryPatch(new JsonObject().putNull("supersedes")), soon()));
        assertThat(marked()).isEqualTo("");

        remember(draft("new", "new", "a", "b"));
        assertThat(marked()).isEqualTo("a b");
        assertThat(remember(draft("new", "new")).get(0).change()).isEqualTo(StoredMemory.Change.UPDATED);
        assertThat(marked()).isEqualTo("");
    }

    @Test
    void anExportAndItsImportAreTheSameHereAndElsewhereInWhateverOrderTheyCome() {
        List<StoredMemory> stored = remember(draft("named", "named"), draft("plain", null));
        // What supersedes may be older than what it supersedes.
        UUID early = stored.get(1).id();
        UUID late = remember(draft("late", null)).get(0).id();
        remember(draft("last", "last", "named", late.toString()));
        Await.result(store.patch(scope, early, patch("supersedes", late.toString()), soon()));
        testDatabase.execute("insert into memory_access values ('" + late + "', 7, '2026-05-08T13:56:00.123456Z')");
        List<ExportedMemory> exported = export(scope);
        assertThat(exported.get(2).access())
                .isEqualTo(new MemoryAccess(7, Instant.parse("2026-05-08T13:56:00.123456Z")));

        // Back where it came from, nothing changes.
        assertThat(Await.result(store.restore(scope, exported, soon())))
                .extracting(StoredMemory::change)
                .containsOnly(StoredMemory.Change.UNCHANGED);
        assertThat(export(scope)).isEqualTo(exported);

        // One by one, the last first, and twice.
        for (int times = 0; times < 2; times++) {
            List<ExportedMemory> reversed = new ArrayList<>(exported);
            Collections.reverse(reversed);
            reversed.forEach(one -> Await.result(store.restore(other, List.of(one), soon())));
        }
        assertThat(text("select string_agg(content, ' ' order by content) from memory where superseded and owner = '"
                        + other.owner() + "'"))
                .isEqualTo("late named");
        assertThat(text("select sum(recalls) from memory_access a join memory m on m.id = memory_id where owner = '"
                        + other.owner() + "'"))
                .isEqualTo("7");
        List<ExportedMemory> again = export(other);
        assertThat(again).extracting(one -> one.draft().content()).containsExactly("last", "late", "plain", "named");
        Scope third = new Scope(other.owner(), "third");
        Await.result(store.restore(third, again, soon()));
        assertThat(text("select count(*) from memory where superseded and owner = '" + other.owner() + "'"))
                .isEqualTo("4");
    }

    @Test
    void aCircleIsRefusedAlsoWhereNamesCameBeforeTheirMemories() {
        restore(new ExportedMemory(null, draft("a", "a", "b")));
        assertInvalid(
                "supersedes", store.restore(scope, List.of(new ExportedMemory(null, draft("b", "b", "a"))), soon()));
        restore(new ExportedMemory(null, draft("b", "b")));
        assertThat(marked()).isEqualTo("b");
    }

    private void restore(ExportedMemory memory) {
        Await.result(store.restore(scope, List.of(memory), soon()));
    }

    private List<ExportedMemory> export(Scope of) {
        return Await.result(store.export(of, new ExportQuery(null, 0L, null), soon()))
                .memories();
    }

    /** External ids of what is marked, in order; a dash for one without. */
    private String marked() {
        return text("select coalesce(string_agg(coalesce(external_id, '-'), ' ' order by external_id), '') from memory"
                + " where superseded and owner = '" + scope.owner() + "'");
    }

    private List<StoredMemory> remember(MemoryDraft... drafts) {
        return Await.result(store.remember(scope, List.of(drafts), soon()));
    }

    private Memory get(UUID id) {
        return Await.result(store.get(scope, id, soon()));
    }

    private static MemoryPatch patch(String field, String... values) {
        return new MemoryPatch(new JsonObject().put(field, new JsonArray(List.of(values))));
    }

    private static void assertInvalid(String field, Future<?> write) {
        FailureException failure = Await.failure(write, FailureCode.INVALID_FIELD);
        assertThat(failure.field()).isEqualTo(field);
        assertThat(failure.detail()).startsWith(field);
    }

    private static MemoryDraft draft(String content, @Nullable String externalId, String... supersedes) {
        return new MemoryDraft(
                content,
                MemoryKind.NOTE,
                null,
                null,
                null,
                null,
                false,
                externalId,
                new JsonObject(),
                List.of(supersedes));
    }

    private static String text(String query) {
        return testDatabase.queryText(query);
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
    }
}
