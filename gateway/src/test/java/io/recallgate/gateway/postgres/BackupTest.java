package io.recallgate.gateway.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.recallgate.recall.Await;
import io.recallgate.recall.Recall;
import io.recallgate.recall.RecallOptions;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallRequest;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The README's backup and restore, done with PostgreSQL's own tools: those in the folder that {@code
 * RECALLGATE_TEST_PG_BIN} names, on the path, or where Debian puts them. Skipped where there are none of the server's
 * major version or newer.
 */
@Tag("long")
@Timeout(300)
class BackupTest {

    private static final Scope ATLAS = new Scope("alice", "atlas");
    private static final Scope BOB = new Scope("bob", "");

    @Test
    void aDumpOfARunningGatewayRestoresIntoAFreshDatabaseWithNothingToEmbedAgain(@TempDir Path directory)
            throws Exception {
        Optional<Path> tools = tools();
        assumeTrue(tools.isPresent(), "no pg_dump of PostgreSQL " + PostgresFiles.MAJOR + " or newer was found");
        Vertx vertx = Vertx.vertx();
        EmbeddedPostgres postgres =
                EmbeddedPostgres.start(PostgresOptions.of(directory.resolve("data")), SystemClock.INSTANCE);
        try {
            PostgresEndpoint at = postgres.endpoint();
            Path dump = directory.resolve("recallgate.dump");
            List<Memory> before = dumped(vertx, at, tools.get(), dump);

            run(
                    at,
                    null,
                    null,
                    tools.get().resolve("psql").toString(),
                    "--dbname=postgres",
                    "--command=create database restored template template0 encoding 'UTF8' locale_provider libc"
                            + " locale 'C.UTF-8'");
            run(
                    at,
                    dump.toFile(),
                    null,
                    tools.get().resolve("pg_restore").toString(),
                    "--exit-on-error",
                    "--no-owner",
                    "--dbname=restored");

            assertWhole(vertx, options(at, "restored"), before);

            // Over what is there, under a gateway that is up: as into the embedded server of an empty data directory.
            Recall up = recall(vertx, options(at, at.database()), new ScriptedEmbedder());
            Await.result(up.memories().deleteSession(ATLAS, "s", soon()));
            run(
                    at,
                    dump.toFile(),
                    null,
                    tools.get().resolve("pg_restore").toString(),
                    "--exit-on-error",
                    "--no-owner",
                    "--clean",
                    "--if-exists",
                    "--single-transaction",
                    "--dbname=" + at.database());
            Await.result(up.close());
            assertWhole(vertx, options(at, at.database()), before);
        } finally {
            assertThat(postgres.stop()).isTrue();
            Await.result(vertx.close());
        }
    }

    private static void assertWhole(Vertx vertx, DatabaseOptions options, List<Memory> before) {
        ScriptedEmbedder embedder = new ScriptedEmbedder();
        Recall recall = recall(vertx, options, embedder);
        assertThat(recall.schema().migrations()).isZero();
        assertThat(list(recall, ATLAS)).isEqualTo(before).allMatch(memory -> memory.state() == MemoryState.EMBEDDED);
        assertThat(list(recall, BOB)).hasSize(1);
        RecallResponse answer =
                Await.result(recall.recall().recall(ATLAS, request("memory number 7", RecallMode.HYBRID)));
        assertThat(answer.served()).isEqualTo(RecallMode.HYBRID);
        assertThat(answer.vectorCoverage()).isEqualTo(1.0);
        assertThat(answer.hits()).anyMatch(hit -> hit.memory().draft().content().equals("memory number 7"));
        // Nothing but the question was embedded.
        assertThat(embedder.asked).allMatch("memory number 7"::equals);
        Await.result(recall.close());
    }

    /** Remembers, waits until all is embedded, and dumps while recall runs. */
    private static List<Memory> dumped(Vertx vertx, PostgresEndpoint at, Path tools, Path dump) throws Exception {
        Recall recall = recall(vertx, options(at, at.database()), new ScriptedEmbedder());
        List<MemoryDraft> drafts = IntStream.range(0, 50)
                .mapToObj(i -> draft("memory number " + i))
                .toList();
        Await.result(recall.memories().remember(ATLAS, drafts, soon()));
        Await.result(recall.memories().remember(BOB, List.of(draft("another owner's")), soon()));
        Await.until("all is embedded", () -> Stream.of(ATLAS, BOB)
                .flatMap(scope -> list(recall, scope).stream())
                .allMatch(memory -> memory.state() == MemoryState.EMBEDDED));
        List<Memory> before = list(recall, ATLAS);
        run(
                at,
                null,
                dump.toFile(),
                tools.resolve("pg_dump").toString(),
                "--format=custom",
                "--exclude-table=memory_vector_derived",
                "--exclude-extension=vector",
                "--dbname=" + at.database());
        Await.result(recall.close());
        return before;
    }

    private static Recall recall(Vertx vertx, DatabaseOptions options, ScriptedEmbedder embedder) {
        return Await.result(Recall.start(
                vertx,
                RecallOptions.defaults(options, "backup"),
                new Recall.Parts(
                        embedder,
                        () -> RecallSettings.DEFAULTS,
                        new SimpleMeterRegistry(),
                        SystemClock.INSTANCE,
                        new VertxTimers(vertx))));
    }

    private static DatabaseOptions options(PostgresEndpoint at, String database) {
        return DatabaseOptions.parse("postgresql://" + at.user() + ":" + at.password() + "@" + at.host() + ":"
                + at.port() + "/" + database + "?sslmode=disable");
    }

    private static List<Memory> list(Recall recall, Scope scope) {
        return Await.result(recall.memories().list(scope, new MemoryQuery(null, null, null, 100, null), soon()))
                .memories();
    }

    private static void run(PostgresEndpoint at, @Nullable File in, @Nullable File out, String... command)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(1, List.of("--host=" + at.host(), "--port=" + at.port(), "--username=" + at.user()));
        Path said = Files.createTempFile("said", ".txt");
        ProcessBuilder builder = new ProcessBuilder(all).redirectError(said.toFile());
        // Never on the command line, where every user of the machine could read it.
        builder.environment().putAll(Map.of("PGPASSWORD", at.password()));
        builder.redirectOutput(out == null ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.to(out));
        if (in != null) {
            builder.redirectInput(in);
        }
        Process process = builder.start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(said)).isZero();
    }

    private static Optional<Path> tools() {
        List<Path> folders = new ArrayList<>();
        Optional.ofNullable(System.getenv("RECALLGATE_TEST_PG_BIN"))
                .map(Path::of)
                .ifPresent(folders::add);
        for (int major = PostgresFiles.MAJOR + 3; major >= PostgresFiles.MAJOR; major--) {
            folders.add(Path.of("/usr/lib/postgresql/" + major + "/bin"));
        }
        Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1))
                .map(Path::of)
                .forEach(folders::add);
        return folders.stream()
                .filter(folder -> Stream.of("pg_dump", "pg_restore", "psql")
                        .allMatch(tool -> Files.isExecutable(folder.resolve(tool))))
                .filter(folder -> major(folder.resolve("pg_dump")) >= PostgresFiles.MAJOR)
                .findFirst();
    }

    private static int major(Path tool) {
        try {
            Process process = new ProcessBuilder(tool.toString(), "--version").start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = Pattern.compile("\\(PostgreSQL\\) (\\d+)").matcher(said);
            return version.find() ? Integer.parseInt(version.group(1)) : 0;
        } catch (IOException cannotRun) {
            return 0;
        }
    }

    private static MemoryDraft draft(String content) {
        return new MemoryDraft(content, MemoryKind.NOTE, null, null, "s", null, false, null, new JsonObject());
    }

    private static RecallRequest request(String query, RecallMode mode) {
        return new RecallRequest(query, mode, 10, null, Set.of(), false, soon(), new CancelSignal());
    }

    private static Deadline soon() {
        return Deadline.afterMillis(SystemClock.INSTANCE, 15_000);
    }
}
