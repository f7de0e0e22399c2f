package io.recallgate.recall.conversation;

import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.time.Clock;
import io.recallgate.time.Rounds;
import io.recallgate.time.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what is kept of conversations that nobody carries on, and of turns that were removed long ago, of whatever owner:
 * rounds of a bounded number of rows, beside the request path. Nodes may do it at the same time. All state lives on one
 * context; methods may be called on any thread.
 */
public final class ConversationUpkeep {

    /** After so many days without a turn a conversation is prepared anew. */
    static final int KEPT_DAYS = 30;

    /** Rows of one kind in one round: some ten milliseconds. */
    static final int BATCH = 1_000;

    /** Not while a start warms up. */
    static final long FIRST_MILLIS = 90_000;

    /** Between rounds that found everything in order. */
    static final long ROUND_MILLIS = 3_600_000;

    /** Between rounds while there is more to remove. */
    static final long MORE_MILLIS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(ConversationUpkeep.class);

    private static final List<String> REMOVALS = List.of(
            Statements.load("conversation/quiet-checkpoints"),
            Statements.load("conversation/quiet-injections"),
            Statements.load("conversation/old-removed"));

    private final Rounds<Boolean> rounds;
    private final Database database;
    private final Parts parts;
    private final TroubleLog troubles;

    /**
     * What it takes from outside.
     *
     * @param clock deadlines are made on
     * @param timers that belong to the clock
     * @param time of statements
     */
    public record Parts(Clock clock, Timers timers, DatabaseTime time) {}

    /**
     * One that does nothing before {@link #start()}.
     *
     * @param vertx whose context it gets
     */
    public ConversationUpkeep(Vertx vertx, Database database, Parts parts) {
        this.rounds = new Rounds<>(vertx.getOrCreateContext(), parts.timers(), () -> remove(0, false), this::ended);
        this.database = database;
        this.parts = parts;
        this.troubles = new TroubleLog(LOG, parts.clock(), "conversations are forgotten again");
    }

    /** Begins, a while later. */
    public void start() {
        rounds.start(FIRST_MILLIS);
    }

    /** Begins no further round; completes when the one that runs has ended. Idempotent; never fails. */
    public Future<Void> stop() {
        return rounds.stop();
    }

    /** One kind after the other; tells whether there is more of any. */
    private Future<Boolean> remove(int kind, boolean more) {
        if (kind == REMOVALS.size() || rounds.isStopped()) {
            return Future.succeededFuture(more);
        }
        return database.connection(Statements.inBackground(parts.clock()), connection -> connection
                        .preparedQuery(REMOVALS.get(kind))
                        .execute(Tuple.of(parts.time().now(), (double) KEPT_DAYS, BATCH)))
                .map(SqlResult::rowCount)
                .compose(removed -> remove(kind + 1, more || removed == BATCH));
    }

    private long ended(AsyncResult<Boolean> round) {
        if (round.failed()) {
            troubles.trouble("conversations that nobody carries on cannot be forgotten", round.cause());
            return ROUND_MILLIS;
        }
        troubles.over();
        return round.result() ? MORE_MILLIS : ROUND_MILLIS;
    }
}
