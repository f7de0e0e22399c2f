package io.recallgate.recall.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallLogPolicy;
import io.recallgate.recall.api.RecallLogPolicy.Questions;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallResponse.Timing;
import io.recallgate.recall.api.RecallStats;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.log.RecallRecord.Answered;
import io.recallgate.recall.log.RecallRecord.Counts;
import io.recallgate.recall.log.RecallRecord.Failed;
import io.recallgate.recall.log.RecallRecord.Outcome;
import io.recallgate.recall.log.RecallRecord.Question;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RecallLogTest {

    private static TestDatabase server;
    private static Vertx vertx;

    private final Scope scope = new Scope("owner-" + UUID.randomUUID(), "");
    private final FakeClock clock = new FakeClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicReference<RecallLogPolicy> policy = new AtomicReference<>(RecallLogPolicy.DEFAULTS);
    private Database database;
    private RecallLog log;

    @BeforeAll
    static void start() {
        server = TestDatabase.embedded();
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void stop() {
        Await.result(vertx.close());
        server.close();
    }

    @BeforeEach
    void open() {
        database = Database.open(vertx, server.options(), new VertxTimers(vertx));
        log = Await.result(RecallLog.open(
                database, policy::get, new RecallLog.Parts(clock, clock, DatabaseTime.of(clock), meters)));
    }

    @AfterEach
    void close() {
        Await.result(log.close());
        assertThat(clock.pending()).isZero();
        Await.result(database.close());
    }

    @Test
    void aRecallIsWrittenWithAllThatIsKnownOfItButItsText() {
        RecallRecord recall = new RecallRecord(
                UUID.randomUUID(),
                scope,
                new Question("where is the observatory?", true, true),
                RecallMode.HYBRID,
                new Answered(RecallMode.LEXICAL, DegradeReason.EMBEDDING_TIMEOUT, 3, 0.5),
                new Counts(20, null, 20),
                new Timing(2_512.5, 2_500.0, 4.5, null, 1.25));
        log.accept(recall);
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(1);
        assertThat(row("concat_ws(' ', recall_id, requested, served, reason, query_chars, query_truncated, narrowed,"
                        + " lexical_found, found, hits, coverage, total_ms, embedding_ms, lexical_ms, fusion_ms)"))
                .isEqualTo(recall.recallId()
                        + " hybrid lexical embedding-timeout 25 t t 20 20 3 0.5 2512.5 2500 4.5 1.25");
        assertThat(row("coalesce(failure, query_text, vector_found::text, vector_ms::text)"))
                .isEqualTo("null");
        // When it was over, and not when it was written.
        assertThat(row("at = '" + clock.instant().minusMillis(RecallLog.GATHER_MILLIS) + "'"))
                .isEqualTo("t");
        assertThat(server.queryText("select count(*) from recall_log l where l::text ilike '%observatory%'"))
                .isEqualTo("0");
    }

    @Test
    void aFailureIsWrittenWithItsCode() {
        log.accept(recall("what?", new Failed(FailureCode.DEADLINE_EXCEEDED), 400));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(1);
        assertThat(row("failure || ' ' || (served is null and hits is null)")).isEqualTo("deadline-exceeded true");
    }

    @Test
    void equalQuestionsOfAScopeCanBeToldAndNotThoseOfTwoScopes() {
        Scope other = new Scope(scope.owner(), "another");
        log.accept(recall("who?", answered(1), 5));
        log.accept(recall("who?", answered(1), 5));
        log.accept(recall("whom", answered(1), 5));
        log.accept(recall(other, "who?", answered(1), 5));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(4);
        assertThat(server.queryText("select count(distinct query_hash) from recall_log where owner = '" + scope.owner()
                        + "' and project = ''"))
                .isEqualTo("2");
        assertThat(server.queryText(
                        "select count(distinct query_hash) from recall_log where owner = '" + scope.owner() + "'"))
                .isEqualTo("3");
        // A plain hash of so short a question would be guessed in no time.
        assertThat(server.queryText("select count(*) from recall_log where owner = '" + scope.owner()
                        + "' and query_hash = sha256('who?'::bytea)"))
                .isEqualTo("0");
    }

    @Test
    void theTextIsKeptOnlyWhereSomebodyChoseItAndOnlyItsBeginning() {
        policy.set(new RecallLogPolicy(Questions.TEXT, 30));
        // The cut would go through a pair.
        log.accept(recall("x".repeat(RecallLog.MAX_TEXT_CHARS - 1) + "\uD83D\uDE00 and more", answered(1), 5));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(1);
        assertThat(row("query_text")).isEqualTo("x".repeat(RecallLog.MAX_TEXT_CHARS - 1));
        assertThat(row("query_chars")).isEqualTo(Integer.toString(RecallLog.MAX_TEXT_CHARS + 10));

        policy.set(new RecallLogPolicy(Questions.NONE, 30));
        log.accept(recall("another", answered(1), 5));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        assertThat(row("count(*)")).isEqualTo("1");
    }

    @Test
    void theStatisticsAreOfTheScopeAndTheWindowAndTellGapsFromDegradation() {
        log.accept(recall("long ago", degraded(1, DegradeReason.EMBEDDING_ERROR), 1_000_000));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(1);
        clock.advanceMillis(3_600_000);
        for (int i = 1; i <= 97; i++) {
            log.accept(recall("question " + i, answered(1), i));
            if (i == 50) {
                clock.advanceMillis(RecallLog.GATHER_MILLIS);
                written(51);
            }
        }
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(98);
        log.accept(recall("a gap", answered(0), 98));
        log.accept(recall("none", degraded(0, DegradeReason.EMBEDDING_TIMEOUT), 99));
        log.accept(recall("some", degraded(2, DegradeReason.EMBEDDING_TIMEOUT), 3_000));
        log.accept(recall("", answered(0), 1));
        log.accept(recall("gone", new Failed(FailureCode.CANCELLED), 1));
        log.accept(recall("broken", new Failed(FailureCode.DATABASE_UNAVAILABLE), 1));
        log.accept(recall(
                new Scope(scope.owner(), "other"), "foreign", degraded(1, DegradeReason.EMBEDDING_ERROR), 900_000));
        log.accept(recall(
                new Scope("somebody else", scope.project()),
                "foreign",
                degraded(1, DegradeReason.EMBEDDING_ERROR),
                900_000));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(106);

        RecallStats stats = Await.result(log.recent(scope, Duration.ofMinutes(30), soon()));
        RecallStats.Mode hybrid = mode(stats, RecallMode.HYBRID);
        assertThat(stats.modes()).hasSize(1);
        assertThat(hybrid.n()).isEqualTo(103);
        assertThat(hybrid.failed()).isEqualTo(1);
        assertThat(hybrid.cancelled()).isEqualTo(1);
        assertThat(hybrid.slow()).isEqualTo(1);
        // Neither a degraded answer nor one to no question is a gap.
        assertThat(hybrid.gaps()).isEqualTo(1);
        assertThat(hybrid.reasons()).isEqualTo(Map.of(DegradeReason.EMBEDDING_TIMEOUT, 2L));
        assertThat(hybrid.share()).isEqualTo(2 / 101.0);
        // Answers of 1, 1, 2 … 99 and 3,000 ms: the n-th percentile of 101 is the n-th value after the first.
        assertThat(hybrid.spans()).isEqualTo(new RecallStats.Spans(50, 80, 90, 95, 99, 3_000));
        assertThat(stats.advice())
                .hasValueSatisfying(advice ->
                        assertThat(advice).contains("provider").contains("a higher EMBEDDING_TIMEOUT_MS would only"));
        assertThat(stats.sampled()).isFalse();
        assertThat(stats.log()).isEqualTo(new RecallStats.Log(Questions.HASHED, 106, 0));

        RecallStats longer = Await.result(log.recent(scope, Duration.ofHours(2), soon()));
        assertThat(mode(longer, RecallMode.HYBRID).spans())
                .satisfies(spans -> assertThat(spans.max()).isEqualTo(1_000_000));
        assertThat(Await.result(log.recent(new Scope("nobody", ""), Duration.ofHours(2), soon()))
                        .modes())
                .isEmpty();
    }

    @Test
    void askingForWordsIsAModeOfItsOwnAndNeedsNoAdvice() {
        log.accept(new RecallRecord(
                UUID.randomUUID(),
                scope,
                new Question("words", false, false),
                RecallMode.LEXICAL,
                new Answered(RecallMode.LEXICAL, null, 0, null),
                new Counts(0, null, 0),
                new Timing(2, null, 1.0, null, 1.0)));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(1);
        RecallStats stats = Await.result(log.recent(scope, Duration.ofHours(1), soon()));
        assertThat(mode(stats, RecallMode.LEXICAL).gaps()).isEqualTo(1);
        assertThat(mode(stats, RecallMode.LEXICAL).degraded()).isZero();
        assertThat(stats.advice()).isEmpty();
    }

    @Test
    void whatIsTooOldIsRemovedAndTheRestStays() {
        log.accept(recall("old", answered(1), 1));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(1);
        given("old");
        policy.set(new RecallLogPolicy(Questions.HASHED, 2));
        clock.advance(Duration.ofDays(2).minusMinutes(30));
        log.accept(recall("young", answered(1), 2));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(2);
        given("young");
        assertThat(row("count(*)")).isEqualTo("2");
        // Each pruning arms the next one once it is done.
        Await.until("the old one is gone", () -> {
            clock.advance(Duration.ofMinutes(61));
            return row("count(*)").equals("1");
        });
        assertThat(row("total_ms")).isEqualTo("2");
        assertThat(server.queryText(
                        "select string_agg(session, ',') from recall_log_given where owner = '" + scope.owner() + "'"))
                .isEqualTo("young");
    }

    /** What a turn of this session was given just now. */
    private void given(String session) {
        server.execute("insert into recall_log_given values (gen_random_uuid(), '" + scope.owner() + "', '', '"
                + session + "', '" + clock.instant() + "', array[gen_random_uuid()])");
    }

    @Test
    void whatIsKeptForDaysIsRemovedOnceTheyAreOverAndNotADayLater() {
        LogTable table = new LogTable(database, DatabaseTime.of(clock));
        log.accept(recall("old", answered(1), 1));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(1);
        policy.set(new RecallLogPolicy(Questions.HASHED, 1_000));

        clock.advance(Duration.ofDays(2).minusHours(1));
        Await.result(table.prune(2, 1_000, soon()));
        assertThat(row("count(*)")).isEqualTo("1");
        clock.advance(Duration.ofHours(2));
        Await.result(table.prune(2, 1_000, soon()));
        assertThat(row("count(*)")).isEqualTo("0");
    }

    @Test
    void whereThereAreMoreRecallsThanAreLookedAtItIsTheNewestThatCount() {
        LogTable table = new LogTable(database, DatabaseTime.of(clock));
        for (int i = 0; i < 3; i++) {
            log.accept(recall("before the repair", degraded(1, DegradeReason.EMBEDDING_TIMEOUT), 2_500));
        }
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(3);
        clock.advanceMillis(60_000);
        log.accept(recall("after it", answered(1), 5));
        log.accept(recall("after it", answered(1), 6));
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        written(5);

        LogTable.Read read = Await.result(table.read(scope, Duration.ofHours(1), 2, soon()));

        assertThat(read.sampled()).isTrue();
        assertThat(read.modes().get(RecallMode.HYBRID)).satisfies(mode -> {
            assertThat(mode.n()).isEqualTo(2);
            assertThat(mode.spans()).isEqualTo(new RecallStats.Spans(5.5, 5.8, 5.9, 5.95, 5.99, 6));
            assertThat(mode.reasons()).isEmpty();
        });
        assertThat(Await.result(table.read(scope, Duration.ofHours(1), 6, soon()))
                        .sampled())
                .isFalse();
    }

    @Test
    void aDatabaseThatIsGoneCostsTheLogItsLinesAndTheCallerNothing() {
        TestDatabase doomed = TestDatabase.embedded();
        Database short_ = Database.open(vertx, doomed.options(), new VertxTimers(vertx));
        RecallLog orphan = Await.result(
                RecallLog.open(short_, policy::get, new RecallLog.Parts(clock, clock, DatabaseTime.SERVER, meters)));
        doomed.close();
        for (int i = 0; i < 5; i++) {
            orphan.accept(recall("lost", answered(1), 1));
        }
        clock.advanceMillis(RecallLog.GATHER_MILLIS);
        Await.until("counted", () -> dropped("failed") == 5);
        Await.result(orphan.close());
        orphan.accept(recall("after the end", answered(1), 1));
        assertThat(dropped("full")).isEqualTo(1);
        Await.result(short_.close());
    }

    @Test
    void aCloseWritesWhatWasToldBeforeIt() {
        log.accept(recall("last words", answered(1), 1));
        Await.result(log.close());
        assertThat(row("count(*)")).isEqualTo("1");
    }

    private RecallRecord recall(String question, Outcome outcome, double totalMillis) {
        return recall(scope, question, outcome, totalMillis);
    }

    private static RecallRecord recall(Scope scope, String question, Outcome outcome, double totalMillis) {
        return new RecallRecord(
                UUID.randomUUID(),
                scope,
                new Question(question, false, false),
                RecallMode.HYBRID,
                outcome,
                new Counts(1, 1, 1),
                new Timing(totalMillis, null, null, null, null));
    }

    private static Outcome answered(int hits) {
        return new Answered(RecallMode.HYBRID, null, hits, 1.0);
    }

    private static Outcome degraded(int hits, @Nullable DegradeReason reason) {
        return new Answered(RecallMode.LEXICAL, reason, hits, null);
    }

    private void written(int count) {
        Await.until(
                "written",
                () -> meters.get("recallgate.recall.log.written").counter().count() == count);
    }

    private double dropped(String reason) {
        return meters.get("recallgate.recall.log.dropped")
                .tag("reason", reason)
                .counter()
                .count();
    }

    private String row(String expression) {
        return server.queryText("select " + expression + " from recall_log where owner = '" + scope.owner() + "'");
    }

    private static RecallStats.Mode mode(RecallStats stats, RecallMode mode) {
        return Objects.requireNonNull(stats.modes().get(mode));
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 20_000);
    }
}
