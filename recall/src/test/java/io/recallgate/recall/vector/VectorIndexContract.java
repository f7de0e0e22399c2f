package io.recallgate.recall.vector;

import static io.recallgate.recall.MemoryFixture.await;
import static io.recallgate.recall.MemoryFixture.draft;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.MemoryFixture;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.rank.IdOrder;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.vector.VectorIndex.VectorHit;
import io.recallgate.recall.vector.VectorIndex.VectorQuery;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every {@link VectorIndex} keeps. */
abstract class VectorIndexContract {

    static final String MODEL = "0123456789abcdef";
    static final String OTHER_MODEL = "fedcba9876543210";

    private static final int LONG_DIMENSIONS = 64;

    final Scope scope = new Scope("owner", "project");
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    private final Vertx vertx = Vertx.vertx();
    private final TestDatabase server = openServer();
    final Database database = Database.open(vertx, server.options(), new VertxTimers(vertx));
    final MemoryFixture memories = new MemoryFixture(server);
    final ReadWorkers workers = new ReadWorkers(vertx, 2, 64);
    VectorIndex index;

    abstract TestDatabase openServer();

    abstract VectorIndex open(Vertx vertx, Database database);

    @BeforeEach
    void openIndex() {
        index = open(vertx, database);
    }

    @AfterEach
    void close() {
        await(index.close());
        await(workers.close());
        await(database.close());
        await(vertx.close());
        memories.close();
        server.close();
    }

    @Test
    void certainMemoriesAreComparedWhetherOrNotTheyAreNear() {
        UUID near = embedded("near", 1, 0, 0, 0);
        UUID far = embedded("far", 0, 1, 0, 0);
        embedded("between", 1, 0.1f, 0, 0);
        UUID otherModel = memories.turn(scope, "other model");
        commit(scope, otherModel, OTHER_MODEL, unit(1, 0, 0, 0));
        Scope foreignScope = new Scope("another owner", "project");
        UUID foreign = memories.turn(foreignScope, "foreign");
        commit(foreignScope, foreign, MODEL, unit(1, 0, 0, 0));

        VectorQuery query = query(scope, MODEL, unit(1, 0, 0, 0), 1, null, Set.of());
        Map<UUID, Double> similarities = await(index.similarities(
                query, List.of(near, far, otherModel, foreign, UUID.randomUUID()), soon(), new CancelSignal()));
        assertThat(similarities).containsOnlyKeys(near, far);
        assertThat(similarities)
                .hasEntrySatisfying(near, cosine -> assertThat(cosine).isCloseTo(1, within(1e-6)));
        assertThat(similarities)
                .hasEntrySatisfying(far, cosine -> assertThat(cosine).isCloseTo(0, within(1e-6)));
        assertThat(await(index.similarities(query, List.of(), soon(), new CancelSignal())))
                .isEmpty();
        VectorQuery wrong = query(scope, MODEL, unit(1, 0), 1, null, Set.of());
        assertThatThrownBy(() -> await(index.similarities(wrong, List.of(near), soon(), new CancelSignal())))
                .satisfies(
                        error -> assertThat(FailureException.of(error).code()).isEqualTo(FailureCode.INVALID_FIELD));
    }

    /** Whoever leaves while a read of the index waits for {@code table}. */
    final void leavesNothingOnTheServer(String table, Function<CancelSignal, Future<?>> read) {
        CancelSignal cancel = new CancelSignal();
        try (Connection other = server.jdbc();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("lock table " + table + " in access exclusive mode");
            Future<?> answer = read.apply(cancel);
            Await.until("it waits for the lock", () -> waiting() > 0);
            cancel.cancel(CancelCause.DISCONNECTED);
            Await.failure(answer, FailureCode.CANCELLED);
            assertThat(waiting()).isZero();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private int waiting() {
        return Integer.parseInt(server.queryText("select count(*) from pg_stat_activity"
                + " where datname = current_database() and wait_event_type = 'Lock'"));
    }

    @Test
    void whatIsSupersededIsLeftOutBeforeTheLimit() {
        List<UUID> left = new ArrayList<>();
        List<UUID> superseded = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            // The nearest ones are superseded.
            superseded.add(embedded("old", 1, 0.001f * i, 0, 0));
            left.add(embedded("new", 0, 1, 0.001f * i, 0));
        }
        Scope foreign = new Scope("another owner", "project");
        commit(foreign, memories.turn(foreign, "foreign"), MODEL, unit(1, 0, 0, 0));
        superseded.forEach(memories::supersede);
        for (Set<MemoryKind> kinds : List.of(Set.<MemoryKind>of(), Set.of(MemoryKind.TURN))) {
            VectorQuery query = query(scope, MODEL, unit(1, 0, 0, 0), 20, null, kinds);
            assertThat(ids(await(index.search(query, soon()))))
                    .as("%s", kinds)
                    .hasSize(20)
                    .isSubsetOf(left);
            VectorQuery all = new VectorQuery(scope, MODEL, unit(1, 0, 0, 0), 20, null, kinds, true);
            assertThat(ids(await(index.search(all, soon())))).as("%s", kinds).isSubsetOf(superseded);
        }
    }

    @Test
    void whatIsSupersededIsLeftOutOfAScopeThatIsSearchedApproximately() {
        Random random = new Random(5);
        List<UUID> superseded = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            UUID id = memories.turn(scope, "r" + i);
            commit(scope, id, MODEL, randomUnit(random, 8));
            if (i % 2 == 0) {
                superseded.add(id);
            }
        }
        superseded.forEach(memories::supersede);
        List<UUID> found = ids(nearestOfMany(query(scope, MODEL, randomUnit(random, 8), 50, null, Set.of())));
        assertThat(found).hasSize(50).doesNotContainAnyElementsOf(superseded);
    }

    @Test
    void theNearestComesFirst() {
        UUID far = embedded("far", -1, 0.2f, 0, 0);
        UUID near = embedded("near", 1, 0.1f, 0, 0);
        UUID middle = embedded("middle", 0, 1, 0, 0);
        List<VectorHit> hits = search(1, 0, 0, 0);
        assertThat(ids(hits)).containsExactly(near, middle, far);
        assertThat(hits.get(0).similarity()).isCloseTo(1 / Math.sqrt(1.01), within(1e-6));
        assertThat(hits.get(1).similarity()).isCloseTo(0, within(1e-6));
    }

    @Test
    void tiesAreOrderedByIdAlsoAtTheLimit() {
        List<UUID> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            expected.add(embedded("same", 0, 0, 1, 0));
        }
        expected.sort(IdOrder.BYTES);
        assertThat(ids(search(0, 0, 1, 0))).isEqualTo(expected);
        assertThat(ids(await(index.search(query(scope, MODEL, unit(0, 0, 1, 0), 7, null, Set.of()), soon()))))
                .isEqualTo(expected.subList(0, 7));
    }

    @Test
    void theBestPassageSpeaksForItsMemory() {
        UUID document = memories.turn(scope, "long");
        commit(scope, document, MODEL, unit(0, 1, 0, 0), unit(1, 0, 0, 0), unit(0, 0, 1, 0));
        UUID other = embedded("other", 0.9f, 0.5f, 0, 0);
        List<VectorHit> hits = search(1, 0, 0, 0);
        assertThat(ids(hits)).containsExactly(document, other);
        assertThat(hits.get(0).similarity()).isCloseTo(1, within(1e-6));
    }

    @Test
    void memoriesOfManyPassagesFillTheAnswerEachOnce() {
        Random random = new Random(11);
        Map<UUID, Double> expected = new HashMap<>();
        for (int memory = 0; memory < 30; memory++) {
            EmbeddingVector[] passages = new EmbeddingVector[50];
            double best = -1;
            for (int i = 0; i < passages.length; i++) {
                // The first memories are near with all they have, before any passage of the others.
                passages[i] = unit(30 - memory, random.nextFloat(), random.nextFloat(), 0);
                best = Math.max(best, passages[i].dot(unit(1, 0, 0, 0)));
            }
            UUID id = memories.turn(scope, "long " + memory);
            commit(scope, id, MODEL, passages);
            expected.put(id, best);
        }
        List<VectorHit> hits = nearestOfMany(query(scope, MODEL, unit(1, 0, 0, 0), 20, null, Set.of()));
        assertThat(ids(hits))
                .isEqualTo(expected.entrySet().stream()
                        .sorted(Map.Entry.<UUID, Double>comparingByValue().reversed())
                        .limit(20)
                        .map(Map.Entry::getKey)
                        .toList());
        hits.forEach(hit -> assertThat(hit.similarity()).isCloseTo(expected.get(hit.memoryId()), within(1e-6)));
    }

    /** As the index answers a scope that is large to it. */
    List<VectorHit> nearestOfMany(VectorQuery query) {
        return await(index.search(query, soon()));
    }

    @Test
    void anEmptyScopeHasNoNeighbours() {
        assertThat(search(1, 0, 0, 0)).isEmpty();
    }

    @Test
    void aWriteIsSeenByTheNextSearch() {
        assertThat(search(1, 0, 0, 0)).isEmpty();
        UUID first = embedded("first", 0, 1, 0, 0);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(first);
        UUID second = embedded("second", 1, 0, 0, 0);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(second, first);
    }

    @Test
    void anUpdateIsSeenByTheNextSearchWithAllOldPassagesGone() {
        UUID id = memories.turn(scope, "changing");
        commit(scope, id, MODEL, unit(1, 0, 0, 0), unit(0, 1, 0, 0));
        assertThat(search(0, 1, 0, 0).get(0).similarity()).isCloseTo(1, within(1e-6));
        commit(scope, id, MODEL, unit(0, 0, 1, 0));
        List<VectorHit> hits = search(0, 1, 0, 0);
        assertThat(hits).hasSize(1);
        assertThat(hits.get(0).similarity()).isCloseTo(0, within(1e-6));
    }

    @Test
    void aRemovalIsSeenByTheNextSearch() {
        UUID gone = embedded("gone", 1, 0, 0, 0);
        UUID stays = embedded("stays", 0, 1, 0, 0);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(gone, stays);
        await(database.transaction(soon(), connection -> index.remove(connection, scope, List.of(gone))
                .compose(ignored -> connection
                        .preparedQuery("delete from memory where id = $1")
                        .execute(Tuple.of(gone)))));
        index.committed(scope);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(stays);
    }

    @Test
    void aTransactionThatRollsBackChangesNothing() {
        UUID kept = embedded("kept", 1, 0, 0, 0);
        search(1, 0, 0, 0);
        Future<Object> failed = database.transaction(soon(), connection -> index.remove(
                        connection, scope, List.of(kept))
                .compose(ignored -> connection
                        .preparedQuery("delete from memory_vector where memory_id = $1")
                        .execute(Tuple.of(kept)))
                .compose(ignored ->
                        index.replace(connection, List.of(new StoredVector(scope, kept, 0, MODEL, unit(0, 1, 0, 0)))))
                .compose(ignored -> Future.failedFuture(new FailureException(FailureCode.CONFLICT, "on purpose"))));
        assertThatThrownBy(() -> await(failed)).isInstanceOf(FailureException.class);
        List<VectorHit> hits = search(1, 0, 0, 0);
        assertThat(ids(hits)).containsExactly(kept);
        assertThat(hits.get(0).similarity()).isCloseTo(1, within(1e-6));
    }

    @Test
    void ownersProjectsAndModelsAreApart() {
        UUID mine = embedded("mine", 0.1f, 1, 0, 0);
        for (Scope other : List.of(new Scope("owner", ""), new Scope("other", "project"))) {
            commit(other, memories.turn(other, "theirs"), MODEL, unit(1, 0, 0, 0));
        }
        commit(scope, memories.turn(scope, "other model"), OTHER_MODEL, unit(1, 0, 0, 0));
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(mine);
    }

    @Test
    void anOwnerOfOnePercentGetsAllItsOwn() {
        Scope crowd = new Scope("crowd", "project");
        Random random = new Random(7);
        for (int i = 0; i < 400; i++) {
            commit(crowd, memories.turn(crowd, "c" + i), MODEL, unit(1, random.nextFloat() * 0.01f, 0, 0));
        }
        for (int i = 0; i < 20; i++) {
            embedded("m" + i, random.nextFloat(), 1, random.nextFloat(), 0);
        }
        assertThat(search(1, 0, 0, 0)).hasSize(20);
    }

    /** As the index answers a scope that is large to it, where a crowd of others is near whatever is asked. */
    @Test
    @Tag("long")
    void anOwnerOfOnePercentOfAHundredThousandGetsItsFullTopTwenty() {
        Random random = new Random(7);
        Scope crowd = new Scope("crowd", "project");
        List<EmbeddingVector> topics = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            topics.add(randomUnit(random, LONG_DIMENSIONS));
        }
        Map<UUID, EmbeddingVector> mine = new HashMap<>();
        for (int batch = 0; batch < 100; batch++) {
            Map<UUID, EmbeddingVector> theirs = new HashMap<>();
            for (int i = 0; i < 1_000; i++) {
                (i % 100 == 0 ? mine : theirs)
                        .put(UUID.randomUUID(), near(random, topics.get(random.nextInt(topics.size()))));
            }
            commitAll(crowd, theirs);
        }
        commitAll(scope, mine);
        int found = 0;
        for (int i = 0; i < 50; i++) {
            EmbeddingVector wanted = near(random, topics.get(random.nextInt(topics.size())));
            List<UUID> exact = mine.entrySet().stream()
                    .sorted(Comparator.<Map.Entry<UUID, EmbeddingVector>>comparingDouble(
                                    one -> one.getValue().dot(wanted))
                            .reversed())
                    .limit(20)
                    .map(Map.Entry::getKey)
                    .toList();
            List<UUID> hits = ids(nearestOfMany(query(scope, MODEL, wanted, 20, null, Set.of())));
            assertThat(hits).hasSize(20);
            assertThat(mine.keySet()).containsAll(hits);
            found += (int) hits.stream().filter(exact::contains).count();
        }
        assertThat(found / (20.0 * 50)).as("share of the exact").isGreaterThanOrEqualTo(0.95);
    }

    /** About as far from its topic as texts are. */
    private static EmbeddingVector near(Random random, EmbeddingVector topic) {
        float[] values = topic.toArray();
        for (int i = 0; i < values.length; i++) {
            values[i] += (float) (0.5 * random.nextGaussian() / Math.sqrt(values.length));
        }
        return unit(values);
    }

    private void commitAll(Scope where, Map<UUID, EmbeddingVector> vectors) {
        List<StoredVector> stored = new ArrayList<>();
        List<Tuple> rows = new ArrayList<>();
        vectors.forEach((id, vector) -> {
            stored.add(new StoredVector(where, id, 0, MODEL, vector));
            rows.add(Tuple.of(id, where.owner(), where.project(), id.toString()));
        });
        patiently(database.transaction(soon(120), connection -> connection
                .preparedQuery("insert into memory (id, owner, project, kind, content, content_hash, words, word_count)"
                        + " values ($1, $2, $3, 'note', $4, sha256('x'), '', 0)")
                .executeBatch(rows)
                .compose(ignored -> insert(connection, stored))
                .compose(ignored -> index.replace(connection, stored))));
        index.committed(where);
    }

    @Test
    void sessionAndKindsNarrowTheSearchAndFollowTheMemory() {
        UUID turn = filed("turn", MemoryKind.TURN, "s1");
        UUID note = filed("note", MemoryKind.NOTE, "s1");
        UUID elsewhere = filed("elsewhere", MemoryKind.TURN, "s2");
        assertThat(filtered("s1", Set.of())).containsExactlyInAnyOrder(turn, note);
        assertThat(filtered(null, Set.of(MemoryKind.TURN))).containsExactlyInAnyOrder(turn, elsewhere);
        assertThat(filtered("s1", Set.of(MemoryKind.NOTE))).containsExactly(note);
        server.execute("update memory set session = 's1' where id = '" + elsewhere + "'");
        assertThat(filtered("s1", Set.of())).containsExactlyInAnyOrder(turn, note, elsewhere);
    }

    @Test
    void anotherDimensionIsItsOwnFailure() {
        embedded("four", 1, 0, 0, 0);
        assertThatThrownBy(() -> await(index.search(query(scope, MODEL, unit(1, 0), 10, null, Set.of()), soon())))
                .isInstanceOfSatisfying(FailureException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(FailureCode.INVALID_FIELD);
                    assertThat(failure.field()).isEqualTo("vector");
                });
    }

    @Test
    void randomVectorsComeInTheOrderOfTheirCosine() {
        Random random = new Random(42);
        List<EmbeddingVector> vectors = new ArrayList<>();
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            vectors.add(randomUnit(random, 48));
            ids.add(memories.turn(scope, "r" + i));
            commit(scope, ids.get(i), MODEL, vectors.get(i));
        }
        EmbeddingVector wanted = randomUnit(random, 48);
        List<VectorHit> hits = await(index.search(query(scope, MODEL, wanted, 50, null, Set.of()), soon()));
        List<UUID> expected = new ArrayList<>(ids);
        expected.sort((a, b) -> Double.compare(
                vectors.get(ids.indexOf(b)).dot(wanted),
                vectors.get(ids.indexOf(a)).dot(wanted)));
        assertThat(ids(hits)).isEqualTo(expected.subList(0, 50));
    }

    @Test
    void vectorsWrittenBeforeTheIndexOpenedAreFound() {
        UUID old = memories.turn(scope, "old");
        memories.vector(scope, old, MODEL, 0, unit(1, 0, 0, 0));
        await(index.close());
        index = open(vertx, database);
        assertThat(ids(search(1, 0, 0, 0))).containsExactly(old);
    }

    final void execute(String sql) {
        server.execute(sql);
    }

    final @Nullable String text(String sql) {
        return server.queryText(sql);
    }

    final UUID embedded(String text, float... values) {
        UUID id = memories.turn(scope, text);
        commit(scope, id, MODEL, unit(values));
        return id;
    }

    /** Writes as the job runner does: old vectors out, new ones in, the index told inside and after. */
    final void commit(Scope where, UUID id, String fingerprint, EmbeddingVector... vectors) {
        List<StoredVector> stored = new ArrayList<>();
        for (int i = 0; i < vectors.length; i++) {
            stored.add(new StoredVector(where, id, i, fingerprint, vectors[i]));
        }
        Function<SqlConnection, Future<Void>> work = connection -> connection
                .preparedQuery("delete from memory_vector where memory_id = $1 and fingerprint = $2")
                .execute(Tuple.of(id, fingerprint))
                .compose(ignored -> insert(connection, stored))
                .compose(ignored -> index.replace(connection, stored));
        await(database.transaction(soon(), work));
        index.committed(where);
    }

    /** For what takes its time on a small and busy machine. */
    static <T> T patiently(Future<T> future) {
        try {
            return future.await(10, TimeUnit.MINUTES);
        } catch (TimeoutException e) {
            throw new AssertionError("not within ten minutes", e);
        }
    }

    private static Future<?> insert(SqlConnection connection, List<StoredVector> vectors) {
        return connection
                .preparedQuery("insert into memory_vector (memory_id, fingerprint, passage, owner, project,"
                        + " content_hash, dimensions, vector) values ($1, $2, $3, $4, $5, sha256('x'), $6, $7)")
                .executeBatch(vectors.stream()
                        .map(one -> Tuple.of(
                                        one.memoryId(),
                                        one.fingerprint(),
                                        one.passage(),
                                        one.scope().owner(),
                                        one.scope().project(),
                                        one.vector().dimensions())
                                .addBuffer(Buffer.buffer(one.vector().toLittleEndian())))
                        .toList());
    }

    final List<VectorHit> search(float... values) {
        return await(index.search(query(scope, MODEL, unit(values), 100, null, Set.of()), soon()));
    }

    private UUID filed(String text, MemoryKind kind, String session) {
        UUID id = memories.insert(UUID.randomUUID(), scope, draft(text, kind, session, null, null));
        commit(scope, id, MODEL, unit(1, 0, 0, 0));
        return id;
    }

    private List<UUID> filtered(@Nullable String session, Set<MemoryKind> kinds) {
        return ids(await(index.search(query(scope, MODEL, unit(1, 0, 0, 0), 100, session, kinds), soon())));
    }

    static VectorQuery query(
            Scope scope,
            String fingerprint,
            EmbeddingVector vector,
            int limit,
            @Nullable String session,
            Set<MemoryKind> kinds) {
        return new VectorQuery(scope, fingerprint, vector, limit, session, kinds);
    }

    static List<UUID> ids(List<VectorHit> hits) {
        return hits.stream().map(VectorHit::memoryId).toList();
    }

    static EmbeddingVector unit(float... values) {
        return EmbeddingVector.of(values).truncated(values.length);
    }

    static EmbeddingVector randomUnit(Random random, int dimensions) {
        float[] values = new float[dimensions];
        for (int i = 0; i < dimensions; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return unit(values);
    }

    static Deadline soon() {
        return soon(60);
    }

    private static Deadline soon(int seconds) {
        return Deadline.afterMillis(SystemClock.INSTANCE, seconds * 1_000L);
    }
}
