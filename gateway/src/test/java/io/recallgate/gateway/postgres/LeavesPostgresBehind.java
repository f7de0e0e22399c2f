package io.recallgate.gateway.postgres;

import io.recallgate.time.SystemClock;
import java.nio.file.Path;

/** A gateway that ends without stopping its PostgreSQL, as after kill -9. */
final class LeavesPostgresBehind {

    private LeavesPostgresBehind() {}

    public static void main(String[] arguments) throws InterruptedException {
        EmbeddedPostgres postgres =
                EmbeddedPostgres.start(PostgresOptions.of(Path.of(arguments[0])), SystemClock.INSTANCE);
        System.out.println(postgres.pid());
        Runtime.getRuntime().halt(0);
    }
}
