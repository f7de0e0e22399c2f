package io.recallgate.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.schema.Schema;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import io.recallgate.recall.vector.VectorIndex.VectorQuery;
import io.recallgate.recall.vector.VectorIndexes;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/**
 * The search for neighbours among the vectors of one large owner, with an owner of one percent beside it, and how much of
 * it a comparison of all vectors finds as well. Run by {@code ./recallgate bench vectors}: in process with an embedded
 * PostgreSQL, or with pgvector in the database that {@code RECALLGATE_TEST_PGVECTOR_URL} names, in a database of its own
 * there. Exit status 1 if a goal is missed, 2 if an argument is wrong.
 */
@SuppressWarnings("SystemOut") // the figures are what it is for
public final class VectorSearch {

    private static final String MODEL = "0123456789abcdef";
    private static final String DATABASE = "bench_vectors";
    private static final Scope LARGE = new Scope("large", "");
    private static final Scope SMALL = new Scope("small", "");
    private static final int DIMENSIONS = 384;
    private static final int TOP = 20;
    private static final int WARM_QUERIES = 50;
    private static final int BATCH = 1_000;
    private static final double PG_GOAL_MILLIS = 8;
    private static final double EXACT_GOAL_MILLIS = 40;
    private static final double RECALL_GOAL = 0.95;

    /** Topics that texts are about; a text is near its topic, and topics are not far apart, as with real models. */
    private static final int TOPICS = 200;

    private static final float TOPIC_SPREAD = 0.6f;
    private static final float TEXT_SPREAD = 0.5f;

    private final int rows;
    private final int queries;
    private final Vertx vertx = Vertx.vertx();
    private final Random random = new Random(11);
    private final float[][] topics = new float[TOPICS][];
    private final List<UUID> ids = new ArrayList<>();
    private final List<float[]> vectors = new ArrayList<>();
    private boolean missed;

    private VectorSearch(int rows, int queries) {
        this.rows = rows;
        this.queries = queries;
    }

    /**
     * Measures and prints.
     *
     * @param arguments vectors (100,000), searches of each owner (200)
     */
    public static void main(String... arguments) throws Exception {
        // What is written for every statement would be part of what is measured.
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
        Arguments given = new Arguments(arguments);
        int rows = given.number(0, "ROWS", 100_000, 1_000, 1_000_000);
        int status = new VectorSearch(rows, given.number(1, "QUERIES", 200, 10, 10_000)).run();
        // Worker pools have threads of their own.
        System.exit(status);
    }

    private int run() throws Exception {
        String given = System.getenv("RECALLGATE_TEST_PGVECTOR_URL");
        if (given != null) {
            measure(given, true);
        } else {
            try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setLocaleConfig("locale", "C.UTF-8")
                    .setLocaleConfig("encoding", "UTF8")
                    .start()) {
                measure(
                        "postgresql://postgres:postgres@127.0.0.1:" + postgres.getPort() + "/postgres?sslmode=disable",
                        false);
            }
        }
        return missed ? 1 : 0;
    }

    private void measure(String server, boolean approximate) throws Exception {
        Database setUp = Database.open(vertx, DatabaseOptions.parse(server), new VertxTimers(vertx));
        DatabaseOptions own = DatabaseOptions.parse(server.replaceFirst("(://[^/]*/)[^?]*", "$1" + DATABASE));
        execute(setUp, "drop database if exists " + DATABASE);
        execute(setUp, "create database " + DATABASE);
        Schema.migrateBlocking(own);
        Database database = Database.open(vertx, own, new VertxTimers(vertx));
        for (int i = 0; i < TOPICS; i++) {
            topics[i] = spread(new float[DIMENSIONS], 1);
        }
        fill(database);
        long opened = System.nanoTime();
        ReadWorkers readers = new ReadWorkers(vertx, 2, 128);
        VectorIndex index = VectorIndexes.open(
                        database, SystemClock.INSTANCE, readers, () -> 1L << 30, new SimpleMeterRegistry())
                .await(30, TimeUnit.MINUTES);
        say("opened in %.1f s", (System.nanoTime() - opened) / 1e9);
        index.search(query(LARGE, topics[0]), soon()).await(10, TimeUnit.MINUTES);
        if (approximate) {
            awaitIndex(database);
            say("index built %.1f s after the opening", (System.nanoTime() - opened) / 1e9);
        }
        int one = Math.max(1, rows / 100);
        report("large owner", index, LARGE, one, rows, approximate ? PG_GOAL_MILLIS : EXACT_GOAL_MILLIS);
        report("owner of one percent", index, SMALL, 0, one, 0);
        index.close().await(1, TimeUnit.MINUTES);
        database.close().await(1, TimeUnit.MINUTES);
        execute(setUp, "drop database " + DATABASE);
    }

    private static void execute(Database database, String sql) throws Exception {
        database.connection(soon(), connection -> connection.query(sql).execute())
                .await(5, TimeUnit.MINUTES);
    }

    /** The first percent is the small owner's. */
    private void fill(Database database) throws Exception {
        for (int from = 0; from < rows; from += BATCH) {
            List<Tuple> memories = new ArrayList<>();
            List<Tuple> embedded = new ArrayList<>();
            for (int row = from; row < Math.min(rows, from + BATCH); row++) {
                UUID id = new UUID(random.nextLong(), random.nextLong());
                float[] vector = text();
                ids.add(id);
                vectors.add(vector);
                String owner = (row < Math.max(1, rows / 100) ? SMALL : LARGE).owner();
                memories.add(Tuple.of(id, owner, "text " + row));
                embedded.add(Tuple.of(id, MODEL, owner, DIMENSIONS)
                        .addBuffer(Buffer.buffer(EmbeddingVector.of(vector).toLittleEndian())));
            }
            database.transaction(soon(), connection -> connection
                            .preparedQuery(
                                    "insert into memory (id, owner, project, kind, content, content_hash, words, word_count)"
                                            + " values ($1, $2, '', 'note', $3, sha256(convert_to($3, 'UTF8')), '', 0)")
                            .executeBatch(memories)
                            .compose(done -> connection
                                    .preparedQuery("insert into memory_vector (memory_id, fingerprint, passage, owner,"
                                            + " project, content_hash, dimensions, vector)"
                                            + " values ($1, $2, 0, $3, '', sha256('x'), $4, $5)")
                                    .executeBatch(embedded)))
                    .await(5, TimeUnit.MINUTES);
            if ((from / BATCH) % 10 == 9) {
                System.err.println("stored " + ids.size() + " of " + rows);
            }
        }
    }

    private void awaitIndex(Database database) throws Exception {
        while (database.connection(soon(), connection -> connection
                                .query("select 1 from pg_index i join pg_class c on c.oid = i.indexrelid"
                                        + " join pg_am a on a.oid = c.relam"
                                        + " where a.amname = 'hnsw' and i.indisvalid and pg_table_is_visible(c.oid)")
                                .execute())
                        .await(1, TimeUnit.MINUTES)
                        .size()
                == 0) {
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }

    private void report(String who, VectorIndex index, Scope scope, int first, int end, double goalMillis)
            throws Exception {
        double[] millis = new double[queries];
        int found = 0;
        for (int i = -WARM_QUERIES; i < queries; i++) {
            VectorQuery query = query(scope, text());
            long start = System.nanoTime();
            List<VectorHit> hits = index.search(query, soon()).await(10, TimeUnit.MINUTES);
            if (i >= 0) {
                millis[i] = (System.nanoTime() - start) / 1e6;
                found += found(hits, query.vector().toArray(), first, end);
            }
        }
        Arrays.sort(millis);
        double median = millis[queries / 2];
        double recall = found / (double) (queries * TOP);
        missed |= (goalMillis > 0 && median > goalMillis) || recall < RECALL_GOAL;
        say(
                "%s, %d vectors: search p50 %.2f ms%s, p95 %.2f ms, p99 %.2f ms; recall@%d of exact %.3f (goal >= %.2f)",
                who,
                end - first,
                median,
                goalMillis > 0 ? String.format(Locale.ROOT, " (goal <= %.0f)", goalMillis) : "",
                millis[queries * 95 / 100],
                millis[queries * 99 / 100],
                TOP,
                recall,
                RECALL_GOAL);
    }

    /** How many of the nearest, found by comparing all, are among the hits. */
    private int found(List<VectorHit> hits, float[] query, int first, int end) {
        double[] similarities = new double[end - first];
        for (int row = first; row < end; row++) {
            similarities[row - first] = dot(query, vectors.get(row));
        }
        double[] sorted = similarities.clone();
        Arrays.sort(sorted);
        double least = sorted[Math.max(0, sorted.length - TOP)];
        Set<UUID> nearest = new HashSet<>();
        for (int row = first; row < end; row++) {
            if (similarities[row - first] >= least) {
                nearest.add(ids.get(row));
            }
        }
        return (int) hits.stream()
                .limit(TOP)
                .filter(hit -> nearest.contains(hit.memoryId()))
                .count();
    }

    private static VectorQuery query(Scope scope, float[] vector) {
        return new VectorQuery(scope, MODEL, EmbeddingVector.of(vector), 100, null, Set.of());
    }

    private float[] text() {
        return spread(topics[random.nextInt(TOPICS)], TEXT_SPREAD);
    }

    /** A unit vector about this far from the other, to which all topics share a direction. */
    private float[] spread(float[] from, float by) {
        float[] to = new float[DIMENSIONS];
        double squares = 0;
        for (int i = 0; i < DIMENSIONS; i++) {
            float noise = (float) (random.nextGaussian() / Math.sqrt(DIMENSIONS));
            to[i] = from[i] + by * noise + (by == 1 && i == 0 ? 1 / TOPIC_SPREAD : 0);
            squares += to[i] * to[i];
        }
        float length = (float) Math.sqrt(squares);
        for (int i = 0; i < DIMENSIONS; i++) {
            to[i] /= length;
        }
        return to;
    }

    private static double dot(float[] one, float[] other) {
        double sum = 0;
        for (int i = 0; i < one.length; i++) {
            sum += one[i] * other[i];
        }
        return sum;
    }

    private static void say(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 1_800_000);
    }
}
