package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.Statements;
import io.recallgate.recall.database.TroubleLog;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Document frequencies, authors and the cohesion of each scope, derived from its stored words and kept in memory: nothing is written, so no write
 * waits for a statistic. Read by recalls, refreshed behind them, one refresh of a scope at a time. Thread-safe.
 *
 * <p>Staleness: a statistic is refreshed by the first recall that finds it older than five seconds or a hundred times what
 * computing it took, whichever is more; one older than ten minutes is not used. Rankings hardly notice: the weight of a
 * term moves with the logarithm of its frequency.
 */
public final class TermStatistics {

    private static final Logger LOG = LoggerFactory.getLogger(TermStatistics.class);

    private static final long REFRESH_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** At most a hundredth of one connection's time goes into a scope's statistic. */
    private static final long REFRESH_PER_COST = 100;

    private static final long EXPIRY_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long COMPUTE_MILLIS = 30_000;
    private static final int MAX_REFRESHES = 2;
    private static final int MAX_POSTPONED = 1_000;
    private static final int MAX_TERMS = 20_000;
    private static final int MAX_AUTHORS = 1_000;
    /** Days of the month and of the week, months, and years of a lifetime. */
    private static final int MAX_DATE_WORDS = 200;
    /** Pairs looked at for cohesion: enough to be right within a tenth of a deviation. Twice as many at most. */
    private static final int COHESION_PAIRS = 400;
    /** How many words of a memory are looked at for cohesion; turns of a conversation have some ten. */
    private static final int COHESION_WORDS = 200;
    /** Terms over all scopes: about 100 bytes each, so about 25 MiB. */
    private static final int MAX_CACHED = 250_000;

    private static final String TOTALS = Statements.load("lexical/totals");
    private static final String FREQUENCIES = Statements.load("lexical/frequencies");
    private static final String AUTHORS = Statements.load("lexical/authors");
    private static final String DATES = Statements.load("lexical/dates");
    private static final String COHESION = Statements.load("lexical/cohesion");

    private final Database database;
    private final Clock clock;
    private final WordBlocks blocks;
    private final Map<Scope, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private final Set<Scope> refreshing = new HashSet<>();
    /** Scopes whose last refresh failed, and when to try again. */
    private final Map<Scope, Long> retryNanos = new HashMap<>();

    private final TroubleLog troubles;
    private long cached;

    /** Starts empty. */
    public TermStatistics(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
        this.blocks = new WordBlocks(database, clock);
        this.troubles = new TroubleLog(LOG, clock, "term statistics are refreshed again");
    }

    /** What is known of a scope now, null for nothing; starts a refresh where one is due, and never waits for it. */
    @Nullable
    ScopeStatistics current(Scope scope) {
        long now = clock.nanoTime();
        Entry entry;
        boolean due;
        synchronized (this) {
            entry = entries.get(scope);
            due = (entry == null || now - entry.dueNanos >= 0)
                    && now - retryNanos.getOrDefault(scope, now) >= 0
                    && refreshing.size() < MAX_REFRESHES
                    && refreshing.add(scope);
        }
        if (due) {
            refreshAdmitted(scope);
        }
        return entry == null || now - entry.atNanos > EXPIRY_NANOS ? null : entry.statistics;
    }

    /** Computes a scope's statistic now, for tests and for after an import. */
    Future<Void> refresh(Scope scope) {
        synchronized (this) {
            refreshing.add(scope);
        }
        return refreshAdmitted(scope);
    }

    private Future<Void> refreshAdmitted(Scope scope) {
        long started = clock.nanoTime();
        return database.connection(
                        Deadline.afterMillis(clock, COMPUTE_MILLIS), connection -> compute(connection, scope))
                .compose(computed -> {
                    store(scope, computed, started);
                    return computed.documents() < WordBlocks.MIN_DOCUMENTS
                            ? Future.succeededFuture()
                            : blocks.refresh(scope);
                })
                .onComplete(outcome -> {
                    if (outcome.succeeded()) {
                        troubles.over();
                    } else {
                        postpone(scope);
                        troubles.trouble("term statistics cannot be refreshed", outcome.cause());
                    }
                    synchronized (this) {
                        refreshing.remove(scope);
                    }
                });
    }

    private static Future<ScopeStatistics> compute(SqlConnection connection, Scope scope) {
        return rows(connection, TOTALS, scope).compose(totals -> {
            Row total = totals.iterator().next();
            long documents = total.getLong(0);
            Future<RowSet<Row>> frequencies = rows(connection, FREQUENCIES, scope, MAX_TERMS);
            // Each is a pass over all words of the scope, even where none of them is what it looks for.
            Future<Map<String, Integer>> authors = total.getLong("authored") == 0
                    ? Future.succeededFuture(Map.of())
                    : rows(connection, AUTHORS, scope, MAX_AUTHORS).map(TermStatistics::counts);
            Future<Map<String, Integer>> dates = total.getLong("dated") == 0
                    ? Future.succeededFuture(Map.of())
                    : rows(connection, DATES, scope, MAX_DATE_WORDS).map(TermStatistics::counts);
            Future<RowSet<Row>> samples = rows(
                    connection,
                    COHESION,
                    scope,
                    Math.max(1, documents / COHESION_PAIRS),
                    2 * COHESION_PAIRS,
                    // The next one is no place farther.
                    Cohesion.FAR,
                    COHESION_WORDS);
            return Future.all(frequencies, authors, dates, samples).map(ignored -> {
                Map<String, Integer> counts = counts(frequencies.result());
                Map<String, Integer> names = authors.result();
                Map<String, Integer> fields = new HashMap<>(dates.result());
                names.forEach((word, count) -> fields.merge(word, count, Integer::sum));
                Cohesion cohesion = Cohesion.of(
                        samples(samples.result()), word -> Bm25.idf(documents, counts.getOrDefault(word, 1)));
                return new ScopeStatistics(
                        documents, total.getDouble(1), counts, fields, names.keySet(), languages(total), cohesion);
            });
        });
    }

    /** Of a row of {@code sql/lexical/totals.sql}. A language that is not known here any more has no stems here either. */
    static Set<Language> languages(Row totals) {
        Set<Language> languages = EnumSet.noneOf(Language.class);
        for (String code : totals.getArrayOfStrings("languages")) {
            Language.of(code).ifPresent(languages::add);
        }
        return languages;
    }

    private static Future<RowSet<Row>> rows(SqlConnection connection, String statement, Scope scope, long... more) {
        Tuple parameters = Tuple.of(scope.owner(), scope.project());
        for (long value : more) {
            parameters.addLong(value);
        }
        return connection.preparedQuery(statement).execute(parameters);
    }

    private static Map<String, Integer> counts(RowSet<Row> rows) {
        Map<String, Integer> counts = new HashMap<>();
        rows.forEach(row -> counts.put(row.getString(0), row.getInteger(1)));
        return counts;
    }

    private static List<Cohesion.Sample> samples(RowSet<Row> rows) {
        List<Cohesion.Sample> samples = new ArrayList<>();
        for (Row row : rows) {
            String[] far = row.getArrayOfStrings(4);
            samples.add(new Cohesion.Sample(
                    row.getString(0),
                    MemoryKind.valueOf(row.getString(1).toUpperCase(Locale.ROOT)),
                    Set.of(row.getArrayOfStrings(2)),
                    Set.of(row.getArrayOfStrings(3)),
                    far == null ? null : Set.of(far)));
        }
        return samples;
    }

    /** Recalls go on without; a database in trouble is not asked by each of them. */
    private synchronized void postpone(Scope scope) {
        if (retryNanos.size() >= MAX_POSTPONED) {
            retryNanos.clear();
        }
        retryNanos.put(scope, clock.nanoTime() + REFRESH_NANOS);
    }

    private synchronized void store(Scope scope, ScopeStatistics statistics, long started) {
        long now = clock.nanoTime();
        retryNanos.remove(scope);
        long wait = Math.max(REFRESH_NANOS, REFRESH_PER_COST * (now - started));
        Entry before = entries.put(scope, new Entry(statistics, started, now + wait));
        cached += statistics.size() - (before == null ? 0 : before.statistics.size());
        // The eldest first: the map is in order of access.
        Iterator<Entry> eldest = entries.values().iterator();
        while (cached > MAX_CACHED && entries.size() > 1) {
            cached -= eldest.next().statistics.size();
            eldest.remove();
        }
    }

    private record Entry(ScopeStatistics statistics, long atNanos, long dueNanos) {}
}
