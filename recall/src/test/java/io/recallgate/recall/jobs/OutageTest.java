package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.recall.Await;
import io.recallgate.recall.RecordingVectorIndex;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.SimpleWords;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.DatabaseTime;
import io.recallgate.recall.store.MemoryStore;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** CONTRACTS E5, the side of the jobs: the way to a real database is cut while outcomes are due, and mended. */
class OutageTest {

    private static final Scope SCOPE = new Scope("owner", "");

    private final Vertx vertx = Vertx.vertx();
    private final ScriptedEmbedder embedder = new ScriptedEmbedder();
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();
    private final List<NetSocket> open = new CopyOnWriteArrayList<>();
    private volatile boolean cut;

    @Test
    void anOutageWhileOutcomesAreDueCostsNothingAndEndsByItself() {
        Logger logger = (Logger) LoggerFactory.getLogger("io.recallgate.recall");
        Level level = logger.getLevel();
        logger.setLevel(Level.INFO);
        written.start();
        logger.addAppender(written);
        try (TestDatabase server = TestDatabase.embedded()) {
            Database database = Database.open(vertx, behind(server.options()), new VertxTimers(vertx));
            embedder.holdAll();
            remember(database);
            JobRunner runner = runner(database);
            Await.until("all are embedding", () -> embedder.asked.size() == 5);

            cut = true;
            open.forEach(NetSocket::close);
            embedder.releaseAll();
            Await.until("the outage is said", () -> warnings() > 0);
            int asked = embedder.modelQuestions();
            Await.until("more claims were refused", () -> embedder.modelQuestions() > asked + 5);
            cut = false;

            Await.until("all are done", () -> server.queryText(
                            "select count(*) from embedding_job where state = 'done' and failures = 0")
                    .equals("5"));
            Await.until("it is said that it is over", () -> lines().stream()
                    .anyMatch(event -> event.getFormattedMessage().startsWith("jobs run again after")));
            assertThat(server.queryText("select count(*) from memory_vector")).isEqualTo("5");
            assertThat(warnings()).isEqualTo(1);
            assertThat(lines()).allMatch(event -> event.getThrowableProxy() == null);
            Await.result(runner.stop(soon()));
            Await.result(database.close());
        } finally {
            logger.detachAppender(written);
            logger.setLevel(level);
            Await.result(vertx.close());
        }
    }

    private void remember(Database database) {
        MemoryStore store = new MemoryStore(
                database,
                new SimpleWords(),
                new RecordingVectorIndex(),
                vertx.createSharedWorkerExecutor("test-outage", 1),
                new MemoryStore.Config(SystemClock.INSTANCE, DatabaseTime.SERVER, () -> "f1"));
        for (int i = 0; i < 5; i++) {
            MemoryDraft draft = new MemoryDraft(
                    "memory " + i, MemoryKind.NOTE, null, null, null, null, false, null, new JsonObject());
            Await.result(store.remember(SCOPE, List.of(draft), soon()));
        }
    }

    private JobRunner runner(Database database) {
        JobRunner runner = JobRunner.create(
                vertx,
                new JobRunner.Stores(database, new RecordingVectorIndex()),
                embedder,
                new ActiveModel(embedder),
                new JobRunner.Parts(
                        SystemClock.INSTANCE,
                        new VertxTimers(vertx),
                        DatabaseTime.SERVER,
                        // A lease that outlives the test: nothing but the runner itself can bring its jobs back.
                        () -> new RecallSettings(2_500, 600_000, 1, 50, 200, 50, 3_600_000, 1 << 20),
                        new Random(1),
                        new SimpleMeterRegistry()),
                JobOptions.defaults("outage"));
        runner.start();
        return runner;
    }

    /** The same server, by way of a relay that can be cut. */
    private DatabaseOptions behind(DatabaseOptions server) {
        NetClient client = vertx.createNetClient();
        NetServer relay = vertx.createNetServer().connectHandler(socket -> {
            if (cut) {
                socket.close();
                return;
            }
            open.add(socket);
            socket.pause();
            client.connect(server.port(), server.host())
                    .onComplete(
                            upstream -> {
                                open.add(upstream);
                                if (cut) {
                                    upstream.close();
                                    socket.close();
                                    return;
                                }
                                socket.pipeTo(upstream);
                                upstream.pipeTo(socket);
                            },
                            error -> socket.close());
        });
        int port = Await.result(relay.listen(0, "127.0.0.1")).actualPort();
        return DatabaseOptions.parse("postgresql://" + server.user() + ":" + server.password() + "@127.0.0.1:" + port
                        + "/" + server.database() + "?sslmode=disable")
                .withPool(4, 64);
    }

    /** Those about jobs: a machine that is slow just then may take the database for silent, which says so itself. */
    private long warnings() {
        return lines().stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .filter(event -> event.getLoggerName().startsWith(JobRunner.class.getPackageName()))
                .count();
    }

    private List<ILoggingEvent> lines() {
        // The lock under which it is written.
        synchronized (written) {
            return List.copyOf(written.list);
        }
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 60_000);
    }
}
