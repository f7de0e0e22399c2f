package io.recallgate.recall.database;

import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** SQL in named files, so that every statement can be read, explained and reviewed as SQL. */
public final class Statements {

    /** A statement of work in the background takes a fraction of a second; this much means trouble. */
    private static final long BACKGROUND_MILLIS = 10_000;

    private Statements() {}

    /** By when a statement has ended that nobody waits for and that is tried again: ten seconds from now. */
    public static Deadline inBackground(Clock clock) {
        return Deadline.afterMillis(clock, BACKGROUND_MILLIS);
    }

    /**
     * The statement in {@code sql/<name>.sql} of the class path.
     *
     * @param name such as {@code store/insert}
     * @throws IllegalStateException if there is none, which is a defect
     */
    public static String load(String name) {
        String path = "/sql/" + name + ".sql";
        try (InputStream in = Statements.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("no statement " + path);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
