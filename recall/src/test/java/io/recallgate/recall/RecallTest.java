package io.recallgate.recall;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.api.StoredMemory;
import io.recallgate.recall.bus.RecallAnswer;
import io.recallgate.recall.bus.RecallClient;
import io.recallgate.recall.bus.RecallEndpoint;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Everything put together, on a real database and over the event bus. */
class RecallTest {

    private static final Scope SCOPE = new Scope("owner", "project");

    private static Vertx vertx;
    private static TestDatabase database;
    private static ScriptedEmbedder embedder;
    private static String deployment;

    @BeforeAll
    static void deploy() {
        vertx = Vertx.vertx();
        database = TestDatabase.empty();
        embedder = new ScriptedEmbedder();
        deployment = Await.result(
                vertx.deployVerticle(new RecallVerticle(RecallOptions.defaults(database.options(), "test"), parts())));
    }

    @AfterAll
    static void undeploy() {
        Await.result(vertx.undeploy(deployment));
        assertThat(database.queryText("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and application_name = 'recallgate'"))
                .isEqualTo("0");
        Await.result(vertx.close());
        database.close();
    }

    @Test
    void whatIsRememberedOverTheBusIsFoundByWordsAtOnceAndEmbeddedByItself() {
        RecallClient client = new RecallClient(vertx);
        StoredMemory stored = Await.result(client.remember(SCOPE, List.of(draft("Mina moved to Kyoto")), soon()))
                .get(0);
        assertThat(stored.state()).isEqualTo(MemoryState.PENDING);

        RecallAnswer answer = Await.result(client.recall(SCOPE, request("Kyoto", RecallMode.LEXICAL)));
        assertThat(answer.hits()).extracting(RecallAnswer.Hit::id).containsExactly(stored.id());
        assertThat(answer.degraded()).isNull();
        assertThat(Await.result(client.recall(new Scope("other", ""), request("Kyoto", RecallMode.LEXICAL)))
                        .hits())
                .isEmpty();

        // The notification wakes the runner: no poll interval passes, and nothing else is asked for.
        Await.until("it is embedded", () -> database.queryText(
                        "select count(*) from memory_vector where memory_id = '" + stored.id() + "'")
                .equals("1"));
        RecallAnswer hybrid = Await.result(client.recall(SCOPE, request("Kyoto", RecallMode.HYBRID)));
        assertThat(hybrid.served()).isEqualTo(RecallMode.HYBRID);
        assertThat(hybrid.hits()).extracting(RecallAnswer.Hit::id).contains(stored.id());
    }

    @Test
    void whatIsAskedOverTheBusIsDoneForWhoeverAsksAndForTheOwnerThatItNames() throws Exception {
        RecallClient client = new RecallClient(vertx);
        CallContext call = CallContext.of("r-1", TraceContext.fresh());

        Await.result(CallContext.within(call, () -> client.recall(SCOPE, request("who asks", RecallMode.HYBRID))));
        Await.result(client.recall(SCOPE, request("nobody asks", RecallMode.HYBRID)));

        CallContext there = Objects.requireNonNull(embedder.callers.get("who asks"));
        assertThat(there.requestId()).isEqualTo("r-1");
        assertThat(there.trace().traceId()).isEqualTo(call.trace().traceId());
        assertThat(there.trace().spanId()).isNotEqualTo(call.trace().spanId());
        assertThat(there.ownerHash()).isEqualTo(call.ownedBy(SCOPE.owner()).ownerHash());
        assertThat(embedder.asked).contains("nobody asks");
        assertThat(embedder.callers).doesNotContainKey("nobody asks");
    }

    @Test
    void aSupersededMemoryIsAHitOnlyWhereThatIsAskedForAndWhatIsAHitIsCounted() {
        RecallClient client = new RecallClient(vertx);
        Scope scope = new Scope("supersedes", "");
        StoredMemory old = Await.result(client.remember(scope, List.of(draft("Mina lives in Kyoto")), soon()))
                .get(0);
        MemoryDraft next = new MemoryDraft(
                "Mina lives in Rome",
                MemoryKind.NOTE,
                null,
                null,
                null,
                null,
                false,
                null,
                new JsonObject(),
                List.of(old.id().toString()));
        StoredMemory stored =
                Await.result(client.remember(scope, List.of(next), soon())).get(0);
        Await.until("both are embedded", () -> database.queryText(
                        "select count(*) from memory_vector where owner = 'supersedes'")
                .equals("2"));

        for (RecallMode mode : RecallMode.values()) {
            RecallAnswer answer = Await.result(client.recall(scope, request("Mina lives", mode)));
            assertThat(answer.hits())
                    .as("%s", mode)
                    .extracting(RecallAnswer.Hit::id)
                    .containsExactly(stored.id());
            RecallRequest all = new RecallRequest(
                    "Mina lives", mode, 10, null, Set.of(), false, true, true, soon(), new CancelSignal());
            RecallAnswer both = Await.result(client.recall(scope, all));
            assertThat(both.served()).isEqualTo(mode);
            assertThat(both.hits())
                    .as("%s", mode)
                    .filteredOn(hit -> hit.id().equals(old.id()))
                    .extracting(RecallAnswer.Hit::supersededBy)
                    .containsExactly(List.of(stored.id()));
        }

        Await.until("they are counted", () -> database.queryText(
                        "select string_agg(content || ' ' || recalls, ', '"
                                + " order by content) from memory_access join memory on id = memory_id where owner = 'supersedes'")
                .equals("Mina lives in Kyoto 3, Mina lives in Rome 6"));
    }

    @Test
    void aRefusalOverTheBusNamesTheFieldAndHasTheStableNumber() {
        ReplyException reply = catchThrowableOfType(
                ReplyException.class,
                () -> Await.result(vertx.eventBus()
                        .request(
                                RecallEndpoint.REMEMBER,
                                new JsonObject(
                                        "{\"owner\":\"o\",\"memories\":[{\"content\":\"a\"},{\"content\":7}]}"))));

        assertThat(reply.failureCode()).isEqualTo(FailureCode.INVALID_FIELD.number());
        assertThat(new JsonObject(reply.getMessage()).getString("field")).isEqualTo("memories[1].content");
    }

    @Test
    void aMessageWithoutOwnerOrThatIsNoObjectIsRefused() {
        for (Object body : List.of(new JsonObject("{\"query\":\"q\"}"), "text")) {
            ReplyException reply = catchThrowableOfType(
                    ReplyException.class, () -> Await.result(vertx.eventBus().request(RecallEndpoint.RECALL, body)));
            assertThat(reply.failureCode()).isBetween(1001, 1002);
        }
    }

    @Test
    void theClientSaysWhenNobodyServes() {
        Vertx lonely = Vertx.vertx();
        Await.failure(new RecallClient(lonely).remember(SCOPE, List.of(draft("x")), soon()), FailureCode.NOT_READY);
        Await.result(lonely.close());
    }

    @Test
    void aStartOnAWrongDatabaseFailsWithOneLineAndLeavesNothingOpen() {
        FailureException failure = catchThrowableOfType(
                FailureException.class,
                () -> Await.result(Recall.start(
                        vertx, RecallOptions.defaults(database.options().withDatabase("nowhere"), "wrong"), parts())));

        assertThat(failure.code()).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
        assertThat(failure.detail()).contains("nowhere", "does not exist").doesNotContain("\n");
    }

    private static Recall.Parts parts() {
        return new Recall.Parts(
                embedder,
                () -> RecallSettings.DEFAULTS,
                new SimpleMeterRegistry(),
                SystemClock.INSTANCE,
                new VertxTimers(vertx));
    }

    private static RecallRequest request(String query, RecallMode mode) {
        return new RecallRequest(query, mode, 10, null, Set.of(), false, soon(), new CancelSignal());
    }

    private static MemoryDraft draft(String content) {
        return new MemoryDraft(content, MemoryKind.NOTE, null, null, null, null, false, null, new JsonObject());
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 15_000);
    }
}
