package io.recallgate.recall.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.RealDatabaseTest;
import io.recallgate.recall.SimpleWords;
import io.recallgate.recall.api.AcceptedTurn;
import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.Conversation;
import io.recallgate.recall.api.Injection;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.json.MemoryJson;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConversationStoreTest extends RealDatabaseTest {

    private static final Scope ALICE = new Scope("alice", "atlas");
    private static final Scope BOB = new Scope("bob", "atlas");
    private static final String SESSION = "s1";
    private static final UUID RECALL = new UUID(7, 7);

    private MemoryStore memories;
    private ConversationStore store;
    private volatile boolean logs = true;

    @BeforeEach
    void open() {
        testDatabase.execute(
                "truncate conversation_checkpoint, conversation_injection, memory_removed, recall_log_given");
        memories = new MemoryStore(
                database,
                new SimpleWords(),
                vectors,
                vertx.createSharedWorkerExecutor("test-recall", 2),
                new MemoryStore.Config(SystemClock.INSTANCE, DatabaseTime.SERVER, () -> "f1"));
        store = new ConversationStore(database, memories, DatabaseTime.SERVER, () -> logs);
    }

    @Test
    void anAcceptedTurnIsReadBackWithItsMemoriesJobsCheckpointAndInjection() {
        UUID known = remember(ALICE, "Mina moved to Kyoto");
        Injection injection = injection(2, List.of(known));

        accept(ALICE, turn(3, List.of("where is Mina?", "in Kyoto"), injection));
        Conversation conversation = load(ALICE, SESSION, chain(1), chain(2));

        assertThat(conversation.checkpoints()).containsExactly(checkpoint(3));
        assertThat(conversation.injections()).containsExactly(injection);
        assertThat(text("select string_agg(content, '|' order by position) from memory where session = 's1'"))
                .isEqualTo("where is Mina?|in Kyoto");
        assertThat(text("select count(*) from embedding_job")).isEqualTo("3");
    }

    @Test
    void theSameTurnTwiceIsStoredOnce() {
        AcceptedTurn turn = turn(3, List.of("where is Mina?"), injection(2, List.of(remember(ALICE, "Kyoto"))));

        accept(ALICE, turn);
        accept(ALICE, turn);

        assertThat(text("select count(*) from memory where session = 's1'")).isEqualTo("1");
        assertThat(load(ALICE, SESSION, chain(2)).checkpoints()).hasSize(1);
        assertThat(load(ALICE, SESSION, chain(2)).injections()).hasSize(1);
    }

    @Test
    void aTurnIsStoredWholeOrNotAtAll() {
        // The checkpoint's own rule refuses it after the memories are written.
        Checkpoint impossible = new Checkpoint(chain(3), 3, 4, 0, 10, true, "t");

        Await.settled(store.accept(
                        ALICE,
                        new AcceptedTurn(SESSION, drafts(List.of("lost")), impossible, null, Map.of(), null),
                        soon()))
                .onSuccess(done -> {
                    throw new AssertionError("was stored");
                });

        assertThat(text("select count(*) from memory")).isEqualTo("0");
        assertThat(text("select count(*) from embedding_job")).isEqualTo("0");
        assertThat(load(ALICE, SESSION)).isEqualTo(Conversation.UNKNOWN);
    }

    @Test
    void anotherOwnerOrProjectOrSessionSeesNothingOfIt() {
        accept(ALICE, turn(3, List.of("x"), injection(2, List.of(remember(ALICE, "Kyoto")))));
        pin(ALICE, "always");

        assertThat(load(BOB, SESSION, chain(2))).isEqualTo(Conversation.UNKNOWN);
        assertThat(load(new Scope("alice", "other"), SESSION, chain(2))).isEqualTo(Conversation.UNKNOWN);
        assertThat(load(ALICE, "s2", chain(2))).isEqualTo(Conversation.UNKNOWN);
        assertThat(pinned(BOB)).isEmpty();
        assertThat(pinned(new Scope("alice", "other"))).isEmpty();
        assertThat(pinned(ALICE)).containsExactly("always");
    }

    @Test
    void nothingIsInjectedThatNamesAnotherOwnersMemory() {
        UUID bobs = remember(BOB, "Bob's");

        accept(ALICE, turn(3, List.of("x"), injection(2, List.of(bobs))));

        assertThat(load(ALICE, SESSION, chain(2)).injections()).isEmpty();
    }

    @Test
    void whenAMemoryIsRemovedSoIsEveryBlockWithItsText() {
        UUID kyoto = remember(ALICE, "Kyoto");
        UUID oslo = remember(ALICE, "Oslo");
        accept(ALICE, turn(3, List.of(), injection(2, List.of(kyoto, oslo))));
        accept(ALICE, turn(5, List.of(), injection(4, List.of(oslo))));

        Await.result(memories.delete(ALICE, kyoto, soon()));

        assertThat(load(ALICE, SESSION, chain(2), chain(4)).injections())
                .extracting(Injection::chain)
                .containsExactly(chain(4));
    }

    @Test
    void aMemoryThatIsRemovedWhileItsTurnGoesOnLeavesNoBlock() {
        UUID kyoto = remember(ALICE, "Kyoto");
        Await.result(memories.delete(ALICE, kyoto, soon()));

        accept(ALICE, turn(3, List.of("x"), injection(2, List.of(kyoto))));

        assertThat(load(ALICE, SESSION, chain(2)).injections()).isEmpty();
        assertThat(load(ALICE, SESSION, chain(2)).checkpoints()).hasSize(1);
    }

    @Test
    void whenAMemoryIsChangedNoBlockShowsItsOldTextOrAuthor() {
        UUID kyoto = remember(ALICE, "Kyoto");
        UUID oslo = remember(ALICE, "Oslo");
        UUID nara = remember(ALICE, "Nara");
        accept(ALICE, turn(3, List.of(), injection(2, List.of(kyoto, oslo))));
        accept(ALICE, turn(5, List.of(), injection(4, List.of(oslo))));
        accept(ALICE, turn(7, List.of(), injection(6, List.of(nara))));
        accept(BOB, turn(3, List.of(), injection(2, List.of(remember(BOB, "Kyoto")))));

        patch(kyoto, "content", "Osaka");
        patch(nara, "author", "Jonas");
        patch(oslo, "pinned", true);

        assertThat(load(ALICE, SESSION, chain(2), chain(4), chain(6)).injections())
                .extracting(Injection::chain)
                .containsExactly(chain(4));
        assertThat(load(BOB, SESSION, chain(2)).injections()).hasSize(1);
    }

    @Test
    void aMemoryThatIsChangedWhileItsTurnGoesOnLeavesNoBlock() {
        UUID kyoto = remember(ALICE, "Kyoto");
        AcceptedTurn turn = turn(3, List.of("x"), injection(2, List.of(kyoto)));
        patch(kyoto, "content", "Osaka");

        accept(ALICE, turn);

        assertThat(load(ALICE, SESSION, chain(2)).injections()).isEmpty();
        assertThat(load(ALICE, SESSION, chain(2)).checkpoints()).hasSize(1);
    }

    @Test
    void whenASessionIsRemovedItsCheckpointsAndInjectionsGoAndThoseOfOthersStay() {
        UUID known = remember(ALICE, "Kyoto");
        accept(ALICE, turn(3, List.of("x"), injection(2, List.of(known))));
        accept(ALICE, turn("s2", 3, List.of("y"), injection(2, List.of(known))));
        accept(BOB, turn(3, List.of("z"), null));

        Await.result(memories.deleteSession(ALICE, SESSION, soon()));

        assertThat(load(ALICE, SESSION, chain(2))).isEqualTo(Conversation.UNKNOWN);
        assertThat(load(ALICE, "s2", chain(2)).injections()).hasSize(1);
        assertThat(load(BOB, SESSION).checkpoints()).hasSize(1);
    }

    @Test
    void ofASessionTheNewestCheckpointsAreKept() {
        int more = ConversationStore.KEPT_CHECKPOINTS + 3;
        for (int i = 1; i <= more; i++) {
            accept(ALICE, turn(i, List.of(), null));
        }

        assertThat(load(ALICE, SESSION).checkpoints())
                .extracting(Checkpoint::messages)
                .containsExactlyElementsOf(IntStream.iterate(more, i -> i - 1)
                        .limit(ConversationStore.KEPT_CHECKPOINTS)
                        .boxed()
                        .toList());
        assertThat(text("select count(*) from conversation_checkpoint"))
                .isEqualTo(Integer.toString(ConversationStore.KEPT_CHECKPOINTS));
    }

    @Test
    void whatAUserRemovedOfAConversationIsNotStoredAgainByATurnThatIsRepeated() {
        AcceptedTurn turn = turn(3, List.of("my secret", "noted"), null);
        accept(ALICE, turn);
        accept(BOB, turn);
        Await.result(memories.delete(ALICE, id("alice", "my secret"), soon()));

        accept(ALICE, turn);
        accept(BOB, turn);

        assertThat(contents("alice")).isEqualTo("noted");
        assertThat(contents("bob")).isEqualTo("my secret|noted");
        assertThat(text("select count(*) from embedding_job where owner = 'alice'"))
                .isEqualTo("1");
    }

    @Test
    void aConversationThatWasRemovedDoesNotComeBackWithItsNextTurn() {
        accept(ALICE, turn(3, List.of("one", "two"), null));
        Await.result(memories.deleteSession(ALICE, SESSION, soon()));

        accept(ALICE, turn(5, List.of("one", "two", "three"), null));

        assertThat(contents("alice")).isEqualTo("three");
    }

    @Test
    void whatItsOwnerWritesAnewIsNoLongerRemoved() {
        AcceptedTurn turn = turn(3, List.of("one"), null);
        accept(ALICE, turn);
        Await.result(memories.delete(ALICE, id("alice", "one"), soon()));
        Await.result(memories.remember(ALICE, turn.drafts(), soon()));

        accept(ALICE, turn);

        assertThat(contents("alice")).isEqualTo("one");
    }

    @Test
    void onlyTurnsThatHaveANameAreNotedAndOfAScopeABoundedNumber() {
        accept(ALICE, turn(3, List.of("one", "two"), null));
        Await.result(memories.delete(ALICE, remember(ALICE, "a note"), soon()));
        testDatabase.execute(
                "insert into memory_removed select 'alice', 'atlas', 'old ' || n, now() - n * interval '1 s'"
                        + " from generate_series(1, 10000) n");
        testDatabase.execute("insert into memory_removed select 'bob', 'atlas', 'old ' || n, now() - n * interval '1 s'"
                + " from generate_series(1, 10001) n");

        Await.result(memories.deleteSession(ALICE, SESSION, soon()));

        assertThat(text("select count(*) from memory_removed where owner = 'alice'"))
                .isEqualTo("10000");
        assertThat(text("select string_agg(external_id, '|' order by external_id) from memory_removed"
                        + " where external_id not like 'old%'"))
                .isEqualTo("turn:one|turn:two");
        assertThat(text("select count(*) from memory_removed where owner = 'bob'"))
                .isEqualTo("10001");
    }

    @Test
    void whatATurnWasGivenIsInTheLogOfItsRecallUnlessThereIsNone() {
        UUID kyoto = remember(ALICE, "Kyoto");
        UUID oslo = remember(ALICE, "Oslo");
        accept(ALICE, turn(3, List.of("x"), injection(2, List.of(kyoto, oslo))));
        accept(ALICE, turn(5, List.of("y"), null));
        logs = false;
        accept(ALICE, turn(7, List.of("z"), injection(6, List.of(kyoto))));

        assertThat(text("select string_agg(concat_ws(' ', owner, project, session, recall_id, memories), '|')"
                        + " from recall_log_given"))
                .isEqualTo("alice atlas s1 " + RECALL + " {" + kyoto + "," + oslo + "}");
    }

    @Test
    void pinnedMemoriesComeOldestFirstAndBounded() {
        pin(ALICE, "one");
        remember(ALICE, "not pinned");
        pin(ALICE, "two");
        pin(ALICE, "three");

        assertThat(Await.result(store.pinned(ALICE, 2, soon(), new CancelSignal())))
                .extracting(memory -> memory.draft().content())
                .containsExactly("one", "two");
    }

    @Test
    void whatHasNoTimeLeftIsNotAsked() {
        Deadline passed = Deadline.afterMillis(SystemClock.INSTANCE, -1);

        Await.failure(store.load(ALICE, SESSION, List.of(), passed, new CancelSignal()), FailureCode.DEADLINE_EXCEEDED);
        Await.failure(store.pinned(ALICE, 1, passed, new CancelSignal()), FailureCode.DEADLINE_EXCEEDED);
        Await.failure(store.accept(ALICE, turn(1, List.of(), null), passed), FailureCode.DEADLINE_EXCEEDED);
    }

    private void accept(Scope scope, AcceptedTurn turn) {
        Await.result(store.accept(scope, turn, soon()));
    }

    private Conversation load(Scope scope, String session, String... chains) {
        return Await.result(store.load(scope, session, List.of(chains), soon(), new CancelSignal()));
    }

    private List<String> pinned(Scope scope) {
        return Await.result(store.pinned(scope, 10, soon(), new CancelSignal())).stream()
                .map(memory -> memory.draft().content())
                .toList();
    }

    private static UUID id(String owner, String content) {
        return UUID.fromString(
                text("select id from memory where owner = '" + owner + "' and content = '" + content + "'"));
    }

    private static String contents(String owner) {
        return text("select string_agg(content, '|' order by position) from memory where owner = '" + owner + "'");
    }

    private UUID remember(Scope scope, String content) {
        return write(scope, content, false);
    }

    private void patch(UUID id, String field, Object value) {
        Await.result(memories.patch(ALICE, id, MemoryJson.patch(new JsonObject().put(field, value)), soon()));
    }

    private UUID pin(Scope scope, String content) {
        return write(scope, content, true);
    }

    private UUID write(Scope scope, String content, boolean pinned) {
        MemoryDraft draft =
                new MemoryDraft(content, MemoryKind.NOTE, null, null, null, null, pinned, null, new JsonObject());
        return Await.result(memories.remember(scope, List.of(draft), soon()))
                .get(0)
                .id();
    }

    private static AcceptedTurn turn(int messages, List<String> contents, @Nullable Injection injection) {
        return turn(SESSION, messages, contents, injection);
    }

    private static AcceptedTurn turn(
            String session, int messages, List<String> contents, @Nullable Injection injection) {
        // What remember() has written is of the first version.
        Map<UUID, Long> shown = injection == null
                ? Map.of()
                : injection.memories().stream().collect(Collectors.toMap(Function.identity(), id -> 1L));
        return new AcceptedTurn(
                session, drafts(contents), checkpoint(messages), injection, shown, injection == null ? null : RECALL);
    }

    private static List<MemoryDraft> drafts(List<String> contents) {
        return contents.stream()
                .map(content -> new MemoryDraft(
                        content,
                        MemoryKind.TURN,
                        "user",
                        null,
                        SESSION,
                        null,
                        false,
                        "turn:" + content,
                        new JsonObject()))
                .toList();
    }

    private static Checkpoint checkpoint(int messages) {
        return new Checkpoint(
                chain(messages), messages, 1, messages - 1, 1_000L * messages, messages % 2 == 0, "o200k_base");
    }

    private static Injection injection(int message, List<UUID> ids) {
        return new Injection(chain(message), "<block " + message + ">", ids, Map.of(ids.get(0), "hash"));
    }

    /** What stands for the digest of so many messages. */
    private static String chain(int messages) {
        return String.format("%064x", messages);
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 10_000);
    }
}
