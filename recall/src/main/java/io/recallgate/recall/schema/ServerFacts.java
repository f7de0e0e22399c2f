package io.recallgate.recall.schema;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Set;

/**
 * What a server says of itself before anything is written to it.
 *
 * @param versionNumber such as 170005
 * @param version such as {@code 17.5}
 * @param encoding of the database
 * @param provider of its locale: {@code c} libc, {@code b} builtin, {@code i} ICU
 * @param collation how it sorts
 * @param characterType how it tells letters from other characters and folds case
 * @param schema where unqualified tables go, empty for none
 * @param mayCreate whether this role may create tables there
 */
record ServerFacts(
        int versionNumber,
        String version,
        String encoding,
        String provider,
        String collation,
        String characterType,
        String schema,
        boolean mayCreate) {

    private static final int MIN_VERSION = 150_000;

    private static final String FIX = "create it with: create database NAME template template0 encoding 'UTF8'"
            + " locale_provider libc locale 'C.UTF-8'";

    /** Normalised names of the one locale: letters of every script are letters, and order is that of code points. */
    private static final Set<String> UNICODE = Set.of("c.utf8");

    static ServerFacts read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(Statements.load("schema/server-facts"))) {
            row.next();
            return new ServerFacts(
                    row.getInt("version_number"),
                    row.getString("version"),
                    row.getString("encoding"),
                    row.getString("provider"),
                    row.getString("collation"),
                    row.getString("character_type"),
                    row.getString("schema"),
                    row.getBoolean("may_create"));
        }
    }

    /**
     * Refuses what would give other answers than the embedded database, or could not be migrated.
     *
     * @throws FailureException {@code database-unavailable} with one line
     */
    void requireUsable(DatabaseOptions options) {
        require(
                versionNumber >= MIN_VERSION,
                options,
                "is PostgreSQL " + version + ", which is too old; 15 or newer is needed");
        require(encoding.equals("UTF8"), options, "has encoding " + encoding + " instead of UTF8; " + FIX);
        // With another character type case folding and word classes differ (plain C knows no letters beyond ASCII),
        // with another collation ties sort differently: the same recall would answer differently, silently.
        require(
                (provider.equals("c") || provider.equals("b")) && UNICODE.contains(normal(characterType)),
                options,
                "has character type " + characterType + " (" + providerName() + ") instead of C.UTF-8; " + FIX);
        require(
                UNICODE.contains(normal(collation)) || normal(collation).equals("c"),
                options,
                "has collation " + collation + " instead of C.UTF-8; " + FIX);
        require(!schema.isEmpty(), options, "has no schema in the search_path of this role; set one that exists");
        require(
                mayCreate,
                options,
                "does not let this role create tables in schema " + schema
                        + "; grant it: grant create, usage on schema " + schema + " to " + options.user());
    }

    private String providerName() {
        return switch (provider) {
            case "c" -> "libc";
            case "b" -> "builtin";
            case "i" -> "ICU";
            default -> provider;
        };
    }

    private static String normal(String locale) {
        return locale.toLowerCase(Locale.ROOT).replace("utf-8", "utf8");
    }

    private static void require(boolean holds, DatabaseOptions options, String otherwise) {
        if (!holds) {
            throw new FailureException(
                    FailureCode.DATABASE_UNAVAILABLE, "the database (" + options.describe() + ") " + otherwise);
        }
    }
}
