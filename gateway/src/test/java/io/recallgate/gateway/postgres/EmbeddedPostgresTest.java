package io.recallgate.gateway.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.schema.Schema;
import io.recallgate.time.SystemClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EmbeddedPostgresTest {

    /** Unpacked once; each test gets a copy of the links by unpacking into its own directory only if it must. */
    @TempDir
    static Path shared;

    @TempDir
    Path dataDir;

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls
    private EmbeddedPostgres postgres;

    @BeforeAll
    static void unpackOnce() throws IOException, InterruptedException {
        PostgresBinaries.unpack(new PostgresFiles(shared), PostgresPlatform.current());
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @BeforeEach
    void useTheUnpacked() throws IOException {
        Files.setPosixFilePermissions(dataDir, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path root = Files.createDirectory(dataDir.resolve("postgres"));
        try (var binaries = Files.newDirectoryStream(shared, "binaries-*")) {
            for (Path home : binaries) {
                Files.createSymbolicLink(root.resolve(home.getFileName()), home);
            }
        }
    }

    @Test
    void aStopNeedNotWaitForTheUnpackingAndLeavesNothingThatLooksWhole(@TempDir Path empty) throws Exception {
        PostgresFiles files = new PostgresFiles(empty);

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> PostgresBinaries.unpack(files, PostgresPlatform.current()))
                .isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        try (var left = Files.newDirectoryStream(empty)) {
            assertThat(left).allMatch(path -> path.getFileName().toString().startsWith("binaries-partial-"));
        }
    }

    @AfterEach
    void leaveNoProcess() throws InterruptedException {
        if (postgres != null) {
            assertThat(postgres.stop()).isTrue();
            assertThat(ProcessHandle.of(postgres.pid()).filter(ProcessHandle::isAlive))
                    .isEmpty();
        }
    }

    @Test
    void itIsDurableAndSpeaksUnicodeAndAsksForItsPassword() throws Exception {
        start();

        assertThat(show("fsync")).isEqualTo("on");
        assertThat(show("synchronous_commit")).isEqualTo("on");
        assertThat(show("full_page_writes")).isEqualTo("on");
        assertThat(show("data_checksums")).isEqualTo("on");
        assertThat(show("listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(query("select datcollate || ' ' || datctype || ' ' || datlocprovider::text"
                        + " from pg_database where datname = current_database()"))
                .isEqualTo("C.UTF-8 C.UTF-8 c");
        assertThat(query("select count(*) from pg_hba_file_rules where auth_method <> 'scram-sha-256'"))
                .isEqualTo("0");
        assertThatThrownBy(() -> DriverManager.getConnection(url(), "recallgate", "guessed"))
                .isInstanceOf(SQLException.class);
        Path password = dataDir.resolve("postgres/cluster-17/password");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(password)))
                .isEqualTo("rw-------");
        assertThat(postgres.endpoint().toString())
                .doesNotContain(postgres.endpoint().password());
    }

    @Test
    void theSchemaFindsItUsable() throws Exception {
        start();
        PostgresEndpoint at = postgres.endpoint();

        Schema.Report report = Schema.migrateBlocking(DatabaseOptions.parse("postgresql://" + at.user() + ":"
                + at.password() + "@" + at.host() + ":" + at.port() + "/" + at.database() + "?sslmode=disable"));

        assertThat(report.server()).startsWith("17.");
    }

    @Test
    void whatWasWrittenIsThereAfterAStopAndAStart() throws Exception {
        start();
        run("create table kept (x int); insert into kept values (42)");
        assertThat(postgres.stop()).isTrue();

        start();

        assertThat(query("select x from kept")).isEqualTo("42");
    }

    @Test
    void killedItIsStartedAgainAtTheSamePlaceWithItsData() throws Exception {
        start();
        run("create table kept (x int); insert into kept values (42)");
        long before = postgres.pid();

        ProcessHandle.of(before).orElseThrow().destroyForcibly();

        Eventually.holds("restarted", 30, () -> postgres.pid() != before && postgres.state() == PostgresState.RUNNING);
        assertThat(query("select x from kept")).isEqualTo("42");
    }

    @Test
    void aStopDuringARestartWins() throws Exception {
        start();
        ProcessHandle.of(postgres.pid()).orElseThrow().destroyForcibly();
        Eventually.holds("seen", 30, () -> postgres.state() != PostgresState.RUNNING);

        assertThat(postgres.stop()).isTrue();

        assertThat(postgres.state()).isEqualTo(PostgresState.STOPPED);
    }

    @Test
    void stoppingTwiceAtOnceStopsOnce() throws Exception {
        start();
        CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> {
            try {
                return postgres.stop();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });

        assertThat(postgres.stop()).isTrue();
        assertThat(other.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(dataDir.resolve("postgres/cluster-17/pgdata/postmaster.pid")).doesNotExist();
    }

    @Test
    void aStopDoesNotWaitForIdleClients() throws Exception {
        start();
        try (Connection open = connect()) {
            assertThat(open.isValid(1)).isTrue();
            long from = System.nanoTime();

            assertThat(postgres.stop()).isTrue();

            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from)).isLessThan(3_000);
        }
    }

    @Test
    void oneLeftBehindByAKilledGatewayIsStoppedAndItsDataIsThere() throws Exception {
        Process gateway = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LeavesPostgresBehind.class.getName(),
                        dataDir.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<String> output = new String(gateway.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(gateway.waitFor()).isZero();
        ProcessHandle left = ProcessHandle.of(
                        Long.parseLong(output.get(output.size() - 1).strip()))
                .orElseThrow();
        assertThat(left.isAlive()).isTrue();

        start();

        Eventually.holds("the old one has ended", 10, () -> !left.isAlive());
        assertThat(postgres.pid()).isNotEqualTo(left.pid());
        assertThat(query("select 1")).isEqualTo("1");
    }

    @Test
    void aPidFileThatNamesAStrangerIsStale() throws Exception {
        start();
        assertThat(postgres.stop()).isTrue();
        Path pidFile = dataDir.resolve("postgres/cluster-17/pgdata/postmaster.pid");
        Files.writeString(pidFile, ProcessHandle.current().pid() + "\n/elsewhere\n");

        start();

        assertThat(query("select 1")).isEqualTo("1");
    }

    @Test
    void whatAKillDuringInitialisationLeftIsClearedAway() throws Exception {
        Path half = Files.createDirectories(dataDir.resolve("postgres/cluster-partial-1/pgdata"));
        Files.writeString(half.resolve("PG_VERSION"), "17\n");
        Path halfUnpacked = Files.createDirectories(dataDir.resolve("postgres/binaries-partial-1/bin"));

        start();

        assertThat(half.getParent()).doesNotExist();
        assertThat(halfUnpacked.getParent()).doesNotExist();
        assertThat(query("select 1")).isEqualTo("1");
    }

    @Test
    void aDamagedClusterIsOneLineThatNamesTheLog() throws Exception {
        start();
        assertThat(postgres.stop()).isTrue();
        Files.delete(dataDir.resolve("postgres/cluster-17/pgdata/global/pg_control"));

        assertThatThrownBy(this::start)
                .hasMessageContaining("did not start")
                .hasMessageContaining("pg_control")
                .hasMessageContaining("postgres.log")
                .hasMessageNotContaining("\n");
    }

    @Test
    void itRunsInASessionOfItsOwn() throws Exception {
        assumeThat(PostgresPlatform.current().isLinux()).isTrue();
        start();

        String stat = Files.readString(Path.of("/proc", String.valueOf(postgres.pid()), "stat"));
        String session = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[3];

        assertThat(session).isEqualTo(String.valueOf(postgres.pid()));
    }

    @Test
    void itsLogIsBounded() throws Exception {
        Path log = dataDir.resolve("postgres/postgres.log");
        Files.writeString(log, "x".repeat(5 << 20));

        start();

        assertThat(Files.size(log)).isLessThan(1 << 20);
        assertThat(Files.size(log.resolveSibling("postgres.log.1"))).isEqualTo(5 << 20);
    }

    @Test
    void withoutUserNamespacesRootGivesItAUserOfItsOwn() throws Exception {
        PostgresFiles files = new PostgresFiles(dataDir.resolve("postgres"));
        PostgresPlatform platform = PostgresPlatform.current();
        List<RunAs> candidates = RunAs.candidates(platform, files.root());
        assumeThat(candidates).as("only root has a choice").hasSize(2);
        PostgresBinaries binaries = PostgresBinaries.unpack(files, platform);
        RunAs own = candidates.get(1);

        PostgresCluster.open(files, binaries, platform, own);
        PostgresServer server =
                new PostgresServer(files, binaries, platform, own, SystemClock.INSTANCE, PostgresOptions.of(dataDir));
        Process process = server.start();

        assertThat(Files.getAttribute(files.postmasterPid(), "unix:uid")).isEqualTo(own.userId());
        assertThat(new Postmaster(process.toHandle()).stop(SystemClock.INSTANCE, 3_000))
                .isTrue();
        // And back: the files change hands again.
        start();
        assertThat(query("select 1")).isEqualTo("1");
    }

    private void start() throws InterruptedException {
        long from = System.nanoTime();
        postgres = EmbeddedPostgres.start(PostgresOptions.of(dataDir), SystemClock.INSTANCE);
        System.out.println("started in " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from) + " ms");
        assertThat(postgres.state()).isEqualTo(PostgresState.RUNNING);
    }

    private String url() {
        PostgresEndpoint at = postgres.endpoint();
        return "jdbc:postgresql://" + at.host() + ":" + at.port() + "/" + at.database() + "?sslmode=disable";
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(
                url(), postgres.endpoint().user(), postgres.endpoint().password());
    }

    private String show(String setting) throws SQLException {
        return query("select current_setting('" + setting + "')");
    }

    private String query(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
