package io.recallgate.recall.schema;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.database.DatabaseOptions;
import java.sql.SQLException;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.jspecify.annotations.Nullable;

/** One line for each way in which a database cannot be used. */
final class SchemaFailures {

    private SchemaFailures() {}

    static FailureException ofConnect(DatabaseOptions options, SQLException error) {
        return failure(options, connectLine(options, String.valueOf(error.getSQLState())), error);
    }

    static FailureException ofMigration(DatabaseOptions options, FlywayException error) {
        if (error instanceof FlywayValidateException) {
            return failure(
                    options,
                    "has a schema history that does not fit this program (a migration was changed or removed); use an"
                            + " unmodified program of the version that made it, or a new database",
                    error);
        }
        SQLException sql = sqlCause(error);
        if (sql != null && "42501".equals(sql.getSQLState())) {
            return failure(
                    options,
                    "refuses a migration: insufficient rights of role " + options.user()
                            + "; let it own the tables or run the start once with the owner's role",
                    error);
        }
        if (sql != null && String.valueOf(sql.getSQLState()).startsWith("08")) {
            return failure(options, "went away during a migration; start again when it is back", error);
        }
        String message = String.valueOf(error.getMessage());
        if (message.contains("non-empty schema")) {
            return failure(
                    options,
                    "holds tables that are not Recallgate's; give Recallgate a database or schema of" + " its own",
                    error);
        }
        return failure(options, "could not be migrated: " + firstLine(sql == null ? message : sql.getMessage()), error);
    }

    private static String connectLine(DatabaseOptions options, String state) {
        return switch (state) {
            case "28P01" -> "refuses the password of role " + options.user() + "; check user and password";
            case "28000" ->
                "refuses role " + options.user() + "; check that it exists, may log in, and that sslmode fits the"
                        + " server's pg_hba.conf";
            case "3D000" ->
                "does not exist; create it with: create database " + options.database()
                        + " template template0 encoding 'UTF8' locale 'C.UTF-8'";
            case "57P03" -> "is still starting; try again in a moment";
            case "53300" -> "has no connection slot left; raise max_connections or lower the pool size";
            case "42501" ->
                "does not let role " + options.user() + " connect; grant it: grant connect on database "
                        + options.database() + " to " + options.user();
            default ->
                "cannot be reached; check that PostgreSQL runs there, and host, port, sslmode and sslrootcert of the URL";
        };
    }

    private static FailureException failure(DatabaseOptions options, String line, Throwable cause) {
        return new FailureException(
                        FailureCode.DATABASE_UNAVAILABLE, "the database (" + options.describe() + ") " + line)
                .causedBy(cause);
    }

    private static @Nullable SQLException sqlCause(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return sql;
            }
        }
        return null;
    }

    private static String firstLine(@Nullable String message) {
        String text = String.valueOf(message).strip();
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
