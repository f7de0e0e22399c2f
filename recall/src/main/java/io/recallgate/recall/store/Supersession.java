package io.recallgate.recall.store;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Statements;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which memories stand in for which, inside the transaction of a write. The database keeps the mark of those that are
 * superseded. Stateless.
 */
final class Supersession {

    /** How far a circle is looked for, and so how long a chain may be that something is put in front of. */
    static final int MAX_STEPS = 10_000;

    private static final String LOCK = Statements.load("store/lock-links");
    private static final String UNLINK = Statements.load("store/unlink");
    private static final String LINK = Statements.load("store/link");
    private static final String LINK_LATER = Statements.load("store/link-later");
    private static final String CYCLES = Statements.load("store/cycles");

    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private Supersession() {}

    /**
     * What a memory supersedes from now on, and nothing else.
     *
     * @param id of the memory
     * @param field what names it in an error
     * @param references ids and external ids
     */
    record Links(UUID id, String field, List<String> references) {}

    /** Keeps other writers from changing links of the scope; taken before rows are locked. */
    static Future<Void> lock(SqlConnection connection, Scope scope) {
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(scope.owner(), scope.project()))
                .mapEmpty();
    }

    /**
     * Writes links.
     *
     * @param later whether a reference may wait for its memory
     * @return fails with {@code invalid-field}
     */
    static Future<Void> relink(SqlConnection connection, Scope scope, List<Links> links, boolean later) {
        if (links.isEmpty()) {
            return Future.succeededFuture();
        }
        Tuple memories = Tuple.of(scope.owner(), scope.project())
                .addArrayOfUUID(links.stream().map(Links::id).toArray(UUID[]::new));
        return connection
                .preparedQuery(UNLINK)
                .execute(memories)
                .compose(ignored -> link(
                        connection,
                        scope,
                        links.stream().filter(one -> !one.references.isEmpty()).toList(),
                        later));
    }

    /** Memories that are new: what waited for one of their names has found it. */
    static Future<Void> arrived(SqlConnection connection, Scope scope, Map<String, UUID> names) {
        if (names.isEmpty()) {
            return Future.succeededFuture();
        }
        List<String> called = List.copyOf(names.keySet());
        Tuple parameters = Tuple.of(scope.owner(), scope.project())
                .addArrayOfUUID(called.stream().map(names::get).toArray(UUID[]::new))
                .addArrayOfString(called.toArray(String[]::new));
        return connection.preparedQuery(LINK_LATER).execute(parameters).mapEmpty();
    }

    /** Fails with {@code invalid-field} where one of these supersedes itself, directly or over others. */
    static Future<Void> requireNoCycle(SqlConnection connection, List<Links> links) {
        UUID[] linked = links.stream()
                .filter(one -> !one.references.isEmpty())
                .map(Links::id)
                .toArray(UUID[]::new);
        if (linked.length == 0) {
            return Future.succeededFuture();
        }
        Tuple parameters = Tuple.tuple().addArrayOfUUID(linked).addInteger(MAX_STEPS);
        return connection.preparedQuery(CYCLES).execute(parameters).compose(rows -> {
            Set<UUID> circling = new HashSet<>();
            rows.forEach(row -> circling.add(row.getUUID(0)));
            for (int i = links.size() - 1; i >= 0; i--) {
                // Of several in one circle the last one has closed it.
                if (circling.contains(links.get(i).id)) {
                    return Future.failedFuture(invalid(
                            links.get(i).field, "would make the memory supersede itself, directly or over others"));
                }
            }
            return Future.succeededFuture();
        });
    }

    private static Future<Void> link(SqlConnection connection, Scope scope, List<Links> links, boolean later) {
        List<UUID> superseding = new ArrayList<>();
        List<String> references = new ArrayList<>();
        Map<UUID, Links> byId = new HashMap<>();
        for (Links one : links) {
            byId.put(one.id, one);
            for (String reference : one.references) {
                superseding.add(one.id);
                references.add(reference);
            }
        }
        if (references.isEmpty()) {
            return Future.succeededFuture();
        }
        UUID[] ids = references.stream().map(Supersession::id).toArray(UUID[]::new);
        UUID[] restored = new UUID[ids.length];
        for (int i = 0; i < ids.length; i++) {
            restored[i] = ids[i] == null ? ids[i] : MemoryIds.restored(scope, ids[i]);
        }
        Tuple parameters = Tuple.of(scope.owner(), scope.project())
                .addArrayOfUUID(superseding.toArray(UUID[]::new))
                .addArrayOfString(references.toArray(String[]::new))
                .addArrayOfUUID(ids)
                .addArrayOfUUID(restored);
        return connection.preparedQuery(LINK).execute(parameters).compose(rows -> {
            for (Row row : rows) {
                Links one = byId.get(row.getUUID(0));
                if (row.getUUID(2) == null && !later && one != null) {
                    String field = one.field + "[" + one.references.indexOf(row.getString(1)) + "]";
                    return Future.failedFuture(invalid(field, "names no memory of this project"));
                }
            }
            return Future.succeededFuture();
        });
    }

    /** Whether a row, with the columns of {@code sql/store/lock-existing.sql}, supersedes just what these name. */
    static boolean isAlready(Row row, List<String> references) {
        Set<String> wanted = Set.copyOf(references);
        return wanted.equals(Set.of(row.getArrayOfStrings("supersedes")))
                || wanted.equals(Set.of(row.getArrayOfStrings("supersedes_as_named")));
    }

    private static @Nullable UUID id(String reference) {
        return UUID_TEXT.matcher(reference).matches() ? UUID.fromString(reference) : null;
    }

    private static FailureException invalid(String field, String what) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, field, field + " " + what);
    }
}
