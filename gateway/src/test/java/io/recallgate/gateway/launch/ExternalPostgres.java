package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.postgres.EmbeddedPostgres;
import io.recallgate.gateway.postgres.PostgresEndpoint;
import io.recallgate.gateway.postgres.PostgresOptions;
import io.recallgate.time.SystemClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.stream.LongStream;

/** A PostgreSQL that belongs to no gateway: several may share it, and it can be made to stand still. */
final class ExternalPostgres implements AutoCloseable {

    private final EmbeddedPostgres server;

    private ExternalPostgres(EmbeddedPostgres server) {
        this.server = server;
    }

    /** Starts one with its files in {@code directory}. */
    static ExternalPostgres start(Path directory) throws InterruptedException {
        return new ExternalPostgres(EmbeddedPostgres.start(PostgresOptions.of(directory), SystemClock.INSTANCE));
    }

    PostgresEndpoint endpoint() {
        return server.endpoint();
    }

    /** For {@code RECALLGATE_DATABASE_URL}. */
    String url() {
        PostgresEndpoint at = endpoint();
        return "postgresql://" + at.user() + ":" + at.password() + "@" + at.host() + ":" + at.port() + "/"
                + at.database() + "?sslmode=disable";
    }

    Connection connect() throws SQLException {
        PostgresEndpoint at = endpoint();
        return DriverManager.getConnection(
                "jdbc:postgresql://" + at.host() + ":" + at.port() + "/" + at.database(), at.user(), at.password());
    }

    /** Stops every process of it, the one that makes others first. Connections stay open and nothing answers. */
    void pause() throws IOException, InterruptedException {
        Signals.send("STOP", server.pid());
        long[] children = children();
        if (children.length > 0) {
            Signals.send("STOP", children);
        }
    }

    /** All go on where they were. */
    void resume() throws IOException, InterruptedException {
        Signals.send(
                "CONT",
                LongStream.concat(LongStream.of(server.pid()), LongStream.of(children()))
                        .toArray());
    }

    private long[] children() {
        return ProcessHandle.of(server.pid())
                .orElseThrow()
                .descendants()
                .mapToLong(ProcessHandle::pid)
                .toArray();
    }

    @Override
    public void close() {
        try {
            // One that stands still hears no wish to stop.
            resume();
            assertThat(server.stop()).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
