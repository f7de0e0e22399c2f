package io.recallgate.gateway.cli.bench;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.jobs.ActiveModel;
import io.recallgate.recall.jobs.JobOptions;
import io.recallgate.recall.jobs.JobRunner;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.recall.vector.VectorIndex;
import io.recallgate.recall.vector.VectorIndexes;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.recallgate.time.Timers;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Embeds a gateway's memories with made-up vectors, beside it on its database: one more node that takes jobs, whose
 * embedder takes no time. A vector lies near one of some topics, as far as texts do, and topics share a direction, as
 * with real models. How long a search takes does not depend on where vectors come from. Used by one thread.
 */
final class MadeUpVectors implements AutoCloseable {

    private static final int TOPICS = 200;
    private static final float TEXT_SPREAD = 0.5f;
    private static final float SHARED = 1.7f;
    private static final int JOBS_AT_ONCE = 128;
    private static final int CONNECTIONS = 4;
    private static final long LOOK_EVERY_MILLIS = 500;
    private static final Duration BOUND = Duration.ofMinutes(1);
    private static final Duration LONG_BOUND = Duration.ofMinutes(30);

    /** What the probes keep for themselves is no matter: nobody recalls it. */
    private static final String FOREIGN =
            "select count(*) from memory where project not like 'bench-%' and owner <> '" + Scope.PROBE_OWNER + "'";

    private static final String INDEX = "select bool_and(i.indisvalid) from pg_index i"
            + " join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam"
            + " where a.amname = 'hnsw' and pg_table_is_visible(c.oid)";
    private static final String HAS_EXTENSION = "select exists (select from pg_extension where extname = 'vector')";

    private final Clock clock;
    private final Pauses pauses;
    private final Vertx vertx = Vertx.vertx();
    private final Timers timers = new VertxTimers(vertx);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Database database;
    private @Nullable JobRunner runner;
    private @Nullable VectorIndex index;

    private MadeUpVectors(DatabaseOptions options, Clock clock, Pauses pauses) {
        this.clock = clock;
        this.pauses = pauses;
        this.database = Database.open(vertx, options.withPool(CONNECTIONS, 1_000), timers);
    }

    /**
     * Begins to take jobs.
     *
     * @param url of the gateway's database
     * @param workers as the gateway shows them, with its model
     * @throws CommandFailedException if there are memories that no benchmark has written: they would get such vectors
     */
    static MadeUpVectors begin(String url, JsonObject workers, Clock clock, Pauses pauses) {
        DatabaseOptions options;
        try {
            options = DatabaseOptions.parse(url);
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException("--made-up-vectors: " + e.getMessage(), e);
        }
        if (!(workers.getValue("model") instanceof JsonObject model)) {
            throw new CommandFailedException("the gateway has no model yet: try again when it is ready");
        }
        MadeUpVectors vectors = new MadeUpVectors(options, clock, pauses);
        try {
            vectors.start(new ModelIdentity(
                    model.getString("name"),
                    model.getString("fingerprint"),
                    model.getInteger("dimensions"),
                    model.getInteger("max_tokens")));
            return vectors;
        } catch (RuntimeException e) {
            vectors.close();
            throw e;
        }
    }

    private void start(ModelIdentity model) {
        if (number(FOREIGN) > 0) {
            throw new CommandFailedException(
                    "--made-up-vectors: that database has memories which no benchmark has written;"
                            + " take one that is there to be measured with");
        }
        VectorIndex opened = await(VectorIndexes.open(
                database,
                clock,
                new ReadWorkers(vertx, 1, 16),
                () -> RecallSettings.DEFAULTS.exactIndexCacheBytes(),
                meters));
        index = opened;
        Embedder embedder = new Clustered(model);
        runner = JobRunner.create(
                vertx,
                new JobRunner.Stores(database, opened),
                embedder,
                new ActiveModel(embedder),
                new JobRunner.Parts(
                        clock, timers, DatabaseTime.SERVER, () -> RecallSettings.DEFAULTS, new Random(1), meters),
                JobOptions.defaults("bench-" + UUID.randomUUID()).withConcurrency(JOBS_AT_ONCE));
        runner.start();
    }

    /** There may be jobs. */
    void wake() {
        JobRunner running = runner;
        if (running != null) {
            running.wake();
        }
    }

    /**
     * Waits for the index of large owners, which the gateway begins to build at the first search, and brings the tables to
     * where the server brings them by itself in time.
     */
    void settle(Progress progress) {
        List<String> tables = new ArrayList<>(List.of("memory", "memory_vector"));
        if (flag(HAS_EXTENSION)) {
            tables.add("memory_vector_derived");
            awaitIndex(progress);
        }
        for (String table : tables) {
            progress.show("vacuuming " + table);
            await(database.connection(Deadline.after(clock, LONG_BOUND), connection -> connection
                    .query("set statement_timeout = 0")
                    .execute()
                    .compose(ignored ->
                            connection.query("vacuum (analyze) " + table).execute())));
        }
    }

    private void awaitIndex(Progress progress) {
        Deadline bound = Deadline.after(clock, LONG_BOUND);
        while (!flag(INDEX)) {
            progress.show("the index is being built");
            pauses.pauseMillis(LOOK_EVERY_MILLIS);
            if (bound.isPassed() || Thread.currentThread().isInterrupted()) {
                throw new CommandFailedException("the index of large owners was not built");
            }
        }
    }

    private long number(String sql) {
        return await(row(sql)).getLong(0);
    }

    private boolean flag(String sql) {
        return Boolean.TRUE.equals(await(row(sql)).getBoolean(0));
    }

    private Future<Row> row(String sql) {
        return database.connection(
                        Deadline.after(clock, BOUND),
                        connection -> connection.query(sql).execute())
                .map(rows -> rows.iterator().next());
    }

    private static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(LONG_BOUND.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CommandFailedException("the database that was named: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new CommandFailedException("the database that was named does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailedException("interrupted while preparing", e);
        }
    }

    @Override
    public void close() {
        JobRunner running = runner;
        VectorIndex opened = index;
        Future<Void> stopped =
                running == null ? Future.succeededFuture() : running.stop(Deadline.after(clock, Duration.ofSeconds(5)));
        await(stopped.eventually(() -> opened == null ? Future.succeededFuture() : opened.close())
                .eventually(database::close)
                .eventually(vertx::close));
    }

    /** Takes no time. */
    private static final class Clustered implements Embedder {

        private final ModelIdentity model;
        private final float[][] topics = new float[TOPICS][];

        Clustered(ModelIdentity model) {
            this.model = model;
            Random random = new Random(11);
            for (int i = 0; i < TOPICS; i++) {
                float[] topic = new float[model.dimensions()];
                topic[0] = SHARED;
                topics[i] = near(topic, 1, random);
            }
        }

        @Override
        public Future<EmbedResult> embed(EmbedRequest request) {
            List<EmbeddingVector> vectors = new ArrayList<>();
            for (EmbedInput input : request.inputs()) {
                Random random = new Random(input.hashCode());
                float[] topic = topics[random.nextInt(TOPICS)];
                vectors.add(EmbeddingVector.of(near(topic, TEXT_SPREAD, random)).truncated(model.dimensions()));
            }
            return Future.succeededFuture(new EmbedResult(
                    model, vectors, Collections.nCopies(vectors.size(), 1), List.of(), EmbedResult.Timing.NONE));
        }

        @Override
        public Future<ModelIdentity> model() {
            return Future.succeededFuture(model);
        }

        /** About so far from it; topics have a length of about two. */
        private static float[] near(float[] from, float by, Random random) {
            float[] to = new float[from.length];
            for (int i = 0; i < to.length; i++) {
                to[i] = from[i] + by * (float) (random.nextGaussian() / Math.sqrt(to.length));
            }
            return EmbeddingVector.of(to).truncated(to.length).toArray();
        }
    }
}
