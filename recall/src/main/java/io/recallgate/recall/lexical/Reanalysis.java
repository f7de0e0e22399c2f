package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.recall.lexical.WordTable.Page;
import io.recallgate.recall.lexical.WordTable.Renewed;
import io.recallgate.recall.lexical.WordTable.Stale;
import io.recallgate.time.Clock;
import io.recallgate.time.Rounds;
import io.recallgate.time.Timers;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Analyses memories anew whose words another analysis has made: after an upgrade, or with another language. Passes over
 * all memories in the order of their ids, a step at a time, and rests for as long again as a step took times {@value
 * #REST_PER_COST}, so that it is never noticed. What another node that still runs an older program writes meanwhile is
 * found by the next pass. All state lives on one context; methods may be called on any thread.
 */
public final class Reanalysis {

    private static final Logger LOG = LoggerFactory.getLogger(Reanalysis.class);

    /** Memories looked at in one step. */
    static final int PAGE = 1_000;

    /** Memories analysed and written together; a turn takes some tenth of a millisecond. */
    static final int GROUP = 100;

    /** Contents analysed together, unless one is larger: about a second of one thread. */
    static final long GROUP_BYTES = 1 << 20;

    /** Not while a start warms up. */
    static final long FIRST_MILLIS = 5_000;

    /** Between passes. */
    static final long PASS_MILLIS = 3_600_000;

    /** After a step that failed. */
    static final long TROUBLE_MILLIS = 60_000;

    private static final int REST_PER_COST = 4;

    private static final UUID START = new UUID(0, 0);

    private final Rounds<Page> rounds;
    private final WordTable table;
    private final LexicalAnalysis analysis;
    private final WorkerExecutor workers;
    private final Clock clock;
    private final TroubleLog troubles;

    private UUID after = START;
    private long renewed;
    private long stepNanos;

    /**
     * One that does nothing before {@link #start()}.
     *
     * @param vertx whose context it gets
     * @param analysis the present one, which writers use
     * @param workers run it
     */
    public Reanalysis(Vertx vertx, Database database, LexicalAnalysis analysis, WorkerExecutor workers, Pace pace) {
        this.rounds = new Rounds<>(vertx.getOrCreateContext(), pace.timers(), this::step, this::ended);
        this.table = new WordTable(database, pace.clock());
        this.analysis = analysis;
        this.workers = workers;
        this.clock = pace.clock();
        this.troubles = new TroubleLog(LOG, clock, "memories are analysed anew again");
    }

    /**
     * What it goes by.
     *
     * @param clock tells what a step takes
     * @param timers that belong to the clock
     */
    public record Pace(Clock clock, Timers timers) {}

    /** Begins, a while later. */
    public void start() {
        rounds.start(FIRST_MILLIS);
    }

    /** Begins no further step; completes when the one that runs has ended. Idempotent; never fails. */
    public Future<Void> stop() {
        return rounds.stop();
    }

    private Future<Page> step() {
        stepNanos = clock.nanoTime();
        return table.page(after, analysis.id(), PAGE)
                .compose(page -> groups(groups(page.stale()), 0).map(page));
    }

    private long ended(AsyncResult<Page> step) {
        if (step.failed()) {
            troubles.trouble("memories cannot be analysed anew", step.cause());
            return TROUBLE_MILLIS;
        }
        troubles.over();
        return next(step.result(), TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - stepNanos));
    }

    /** How long to rest. */
    private long next(Page page, long costMillis) {
        after = page.last();
        if (page.memories() == PAGE) {
            return Math.max(1, REST_PER_COST * costMillis);
        }
        if (renewed > 0) {
            LOG.info("the words of {} memories were made anew", renewed);
        }
        renewed = 0;
        after = START;
        return PASS_MILLIS;
    }

    private Future<Void> groups(List<List<UUID>> groups, int index) {
        return rounds.isStopped() || index == groups.size()
                ? Future.succeededFuture()
                : table.contents(groups.get(index))
                        .compose(contents -> workers.executeBlocking(() -> analysed(contents), false))
                        .compose(table::renew)
                        .compose(count -> {
                            renewed += count;
                            return groups(groups, index + 1);
                        });
    }

    private List<Renewed> analysed(List<WordTable.Content> contents) {
        List<Renewed> words = new ArrayList<>();
        for (WordTable.Content one : contents) {
            words.add(new Renewed(
                    one.id(),
                    one.version(),
                    analysis.document(new MemoryDraft(
                            one.content(),
                            MemoryKind.NOTE,
                            null,
                            one.author(),
                            null,
                            one.occurredAt(),
                            false,
                            null,
                            new JsonObject()))));
        }
        return words;
    }

    private static List<List<UUID>> groups(List<Stale> stale) {
        List<List<UUID>> groups = new ArrayList<>();
        List<UUID> group = new ArrayList<>();
        long bytes = 0;
        for (Stale one : stale) {
            if (!group.isEmpty() && (group.size() == GROUP || bytes + one.bytes() > GROUP_BYTES)) {
                groups.add(group);
                group = new ArrayList<>();
                bytes = 0;
            }
            group.add(one.id());
            bytes += one.bytes();
        }
        if (!group.isEmpty()) {
            groups.add(group);
        }
        return groups;
    }
}
