package io.recallgate.recall.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.Await;
import io.recallgate.recall.RealDatabaseTest;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.time.SystemClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is kept of conversations goes by age; days pass on a fake clock. */
class ConversationUpkeepTest extends RealDatabaseTest {

    private ConversationUpkeep upkeep;

    @BeforeEach
    void start() {
        testDatabase.execute("truncate conversation_checkpoint, conversation_injection, memory_removed");
        upkeep = new ConversationUpkeep(
                vertx,
                database,
                // Statements take real time; rounds and ages take the fake clock's.
                new ConversationUpkeep.Parts(SystemClock.INSTANCE, clock, DatabaseTime.of(clock)));
        upkeep.start();
        ended();
    }

    @AfterEach
    void nothingIsLeftBehind() {
        Await.result(upkeep.stop());
        Await.result(upkeep.stop());
        assertThat(clock.pending()).isZero();
    }

    @Test
    void conversationsThatNobodyCarriesOnAreForgottenInScopesWhereNobodySpeaks() {
        insert("alice", 1, 31);
        insert("bob", 2, 40);
        insert("alice", 3, 29);

        clock.advanceMillis(ConversationUpkeep.FIRST_MILLIS);
        until("0", "owner = 'bob'");

        for (String table : new String[] {"conversation_checkpoint", "conversation_injection", "memory_removed"}) {
            assertThat(text("select string_agg(owner, ',') from " + table))
                    .as(table)
                    .isEqualTo("alice,alice,alice");
        }
    }

    @Test
    void whatIsMoreThanARoundTakesGoesWithTheNext() {
        insert("alice", ConversationUpkeep.BATCH + 1, 31);

        clock.advanceMillis(ConversationUpkeep.FIRST_MILLIS);
        until("1", "true");

        clock.advanceMillis(ConversationUpkeep.MORE_MILLIS);
        ended();
        assertThat(text("select count(*) from conversation_checkpoint")).isEqualTo("0");
    }

    /** Lets the round end, and the next ones where a machine that is busy had no time for it. */
    private void until(String left, String which) {
        ended();
        for (int more = 0; more < 5 && !isLeft(left, which); more++) {
            clock.advanceMillis(ConversationUpkeep.ROUND_MILLIS);
            ended();
        }
        assertThat(isLeft(left, which)).isTrue();
    }

    /** Of each kind, since a round goes through them one after the other. */
    private static boolean isLeft(String count, String which) {
        return text("select string_agg(distinct n::text, ',') from (select count(*) as n from conversation_checkpoint where "
                        + which + " union all select count(*) from conversation_injection where " + which
                        + " union all select count(*) from memory_removed where " + which + ") counts")
                .equals(count);
    }

    /** The next round is armed at the start, and when one has ended. */
    private void ended() {
        Await.until("the round ends", () -> clock.pending() == 1);
    }

    private void insert(String owner, int rows, int daysOld) {
        String session = "'s' || " + daysOld;
        String chain = "sha256(convert_to(n::text, 'UTF8'))";
        String at = "timestamptz '" + clock.instant() + "' - interval '" + daysOld + " days'";
        String from = " from generate_series(1, " + rows + ") n";
        testDatabase.execute("insert into conversation_checkpoint select '" + owner + "', '', " + session + ", " + chain
                + ", 1, 0, 0, 1, true, 't', " + at + from);
        testDatabase.execute("insert into conversation_injection select '" + owner + "', '', " + session + ", " + chain
                + ", 'b', '{}', '{}', " + at + from);
        testDatabase.execute(
                "insert into memory_removed select '" + owner + "', '', " + session + " || n, " + at + from);
    }
}
