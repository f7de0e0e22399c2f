package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One {@code sslmode}, one meaning: the client of migrations and the client of everything else do the same with it. */
class SslModeTest {

    private static final char[] STORE_PASSWORD = "changeit".toCharArray();

    @TempDir
    static Path directory;

    private static Vertx vertx;
    private static EmbeddedPostgres withTls;
    private static TestDatabase withoutTls;

    @BeforeAll
    static void start() throws Exception {
        vertx = Vertx.vertx();
        certificate("server");
        certificate("other");
        withTls = TestDatabase.start(() -> EmbeddedPostgres.builder()
                .setServerConfig("ssl", "on")
                .setServerConfig(
                        "ssl_cert_file", directory.resolve("server.crt").toString())
                .setServerConfig("ssl_key_file", directory.resolve("server.key").toString()));
        withoutTls = TestDatabase.empty();
    }

    @AfterAll
    static void stop() throws IOException {
        Await.result(vertx.close());
        withTls.close();
        withoutTls.close();
    }

    @ParameterizedTest
    @CsvSource({
        // The certificate is for localhost, and signed by itself.
        "disable, localhost, , plain",
        "allow, localhost, , plain",
        "prefer, 127.0.0.1, , encrypted",
        "require, 127.0.0.1, , encrypted",
        "verify-ca, localhost, server, encrypted",
        "verify-ca, 127.0.0.1, server, encrypted",
        "verify-ca, localhost, other, refused",
        "verify-full, localhost, server, encrypted",
        "verify-full, 127.0.0.1, server, refused",
        "verify-full, localhost, other, refused"
    })
    void bothClientsDoTheSameWithAServerThatHasTls(String mode, String host, String authority, String expected) {
        String url = "postgresql://postgres:postgres@" + host + ":" + withTls.getPort() + "/postgres?sslmode=" + mode
                + (authority == null ? "" : "&sslrootcert=" + directory.resolve(authority + ".crt"));
        assertBoth(DatabaseOptions.parse(url), expected);
    }

    @ParameterizedTest
    @CsvSource({
        "disable, plain",
        "allow, plain",
        "prefer, plain",
        "require, refused",
        "verify-ca, refused",
        "verify-full, refused"
    })
    void bothClientsDoTheSameWithAServerThatHasNone(String mode, String expected) {
        String url = withoutTls.url() + "?sslmode=" + mode
                + (mode.startsWith("verify") ? "&sslrootcert=" + directory.resolve("server.crt") : "");
        assertBoth(DatabaseOptions.parse(url), expected);
    }

    @Test
    void bothClientsTurnToTlsWhereTheServerTakesNothingElse() throws SQLException {
        try (Connection connection = withTls.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            String file;
            try (ResultSet row = statement.executeQuery("show hba_file")) {
                row.next();
                file = row.getString(1);
            }
            String before = Files.readString(Path.of(file));
            try {
                Files.writeString(Path.of(file), "hostnossl all tls 127.0.0.1/32 reject\n" + before);
                statement.execute("create role tls login");
                statement.execute("select pg_reload_conf()");
                String url = "postgresql://tls:x@127.0.0.1:" + withTls.getPort() + "/postgres?sslmode=";
                Await.until("the rule is read", () -> jdbc(DatabaseOptions.parse(url + "disable"))
                        .equals("refused"));
                assertBoth(DatabaseOptions.parse(url + "disable"), "refused");
                assertBoth(DatabaseOptions.parse(url + "allow"), "encrypted");
            } finally {
                Files.writeString(Path.of(file), before);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertBoth(DatabaseOptions options, String expected) {
        assertThat(jdbc(options)).as("JDBC, %s", options).isEqualTo(expected);
        assertThat(pool(options)).as("the pool, %s", options).isEqualTo(expected);
    }

    private static final String QUERY =
            "select case when ssl then 'encrypted' else 'plain' end from pg_stat_ssl where pid = pg_backend_pid()";

    private static String jdbc(DatabaseOptions options) {
        try (Connection connection = JdbcSource.of(options).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(QUERY)) {
            row.next();
            return row.getString(1);
        } catch (SQLException refused) {
            return "refused";
        }
    }

    private static String pool(DatabaseOptions options) {
        Database database = Database.open(vertx, options, new VertxTimers(vertx));
        try {
            return Await.result(database.connection(
                            Deadline.afterMillis(SystemClock.INSTANCE, 60_000),
                            connection -> connection.query(QUERY).execute()))
                    .iterator()
                    .next()
                    .getString(0);
        } catch (FailureException refused) {
            return "refused";
        } finally {
            Await.result(database.close());
        }
    }

    /** A certificate for localhost that signs itself, as {@code name.crt} and {@code name.key}. */
    private static void certificate(String name) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost",
                        "-ext",
                        "bc:c=ca:true",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        String.valueOf(STORE_PASSWORD),
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), STORE_PASSWORD);
        pem(name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded());
        pem(name + ".key", "PRIVATE KEY", keys.getKey(name, STORE_PASSWORD).getEncoded());
    }

    private static void pem(String file, String label, byte[] bytes) throws IOException {
        Path path = Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END "
                        + label + "-----\n");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }
}
