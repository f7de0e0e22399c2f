package io.recallgate.gateway.launch;

import io.recallgate.recall.api.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of embedding jobs and vectors, written down by triggers of the test's own in a table to which is only
 * ever added. The gateways know nothing of it.
 */
final class JobHistory {

    private static final String INSTALL = """
            create table chaos_history (
              n bigint generated always as identity primary key,
              at timestamptz not null,
              transaction xid8 not null default pg_current_xact_id(),
              backend integer not null default pg_backend_pid(),
              job bigint,
              memory uuid not null,
              content_hash bytea not null,
              attempt integer,
              state text not null,
              holder text,
              held_until timestamptz);

            create function chaos_job() returns trigger language plpgsql as $$
            begin
              insert into chaos_history (at, job, memory, content_hash, attempt, state, holder, held_until)
              values (clock_timestamp(), new.id, new.memory_id, new.content_hash, new.attempt,
                case when new.state = 'retryable' and new.errors -> -1 ->> 'code' = 'lease-expired'
                  and new.errors is distinct from old.errors then 'expired' else new.state end,
                coalesce(new.leased_by, old.leased_by), old.lease_until);
              return new;
            end $$;

            create trigger chaos_job after update on embedding_job
              for each row when (old.state is distinct from new.state) execute function chaos_job();

            -- Probes write vectors of their own, for which there is no job.
            create function chaos_vector() returns trigger language plpgsql as $$
            begin
              insert into chaos_history (at, memory, content_hash, state)
              select clock_timestamp(), new.memory_id, new.content_hash, 'vector'
              from memory where id = new.memory_id and owner <> '%s';
              return new;
            end $$;

            create trigger chaos_vector after insert or update on memory_vector
              for each row execute function chaos_vector();
            """;

    /** How an attempt ends by the hand of its own runner, and of no other while its lease lasts. */
    private static final Set<String> ENDINGS = Set.of("done", "available", "retryable");

    private final Connection connection;

    /** One line of it. */
    private record Event(
            String transaction,
            int backend,
            long job,
            String memory,
            int attempt,
            String state,
            String holder,
            boolean early) {}

    private JobHistory(Connection connection) {
        this.connection = connection;
    }

    /** Begins to write down. */
    static JobHistory install(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(INSTALL.formatted(Scope.PROBE_OWNER));
        }
        return new JobHistory(connection);
    }

    /** Every runner that has taken a job so far. */
    Set<String> holders() {
        Set<String> holders = new TreeSet<>();
        read(
                "select distinct holder from chaos_history where state = 'running'",
                null,
                row -> holders.add(row.getString(1)));
        return holders;
    }

    /** Jobs under this runner's lease now. */
    long held(String holder) {
        return count("select count(*) from embedding_job where state = 'running' and leased_by = ?", holder);
    }

    /** Attempts of this runner that ended because its lease ran out, by the word of another one. */
    long expired(String holder) {
        return count("select count(*) from chaos_history where state = 'expired' and holder = ?", holder);
    }

    /** Jobs that this runner has finished. */
    long finished(String holder) {
        return count("select count(*) from chaos_history where state = 'done' and holder = ?", holder);
    }

    /** Jobs that are neither done nor cancelled. */
    long open() {
        return count("select count(*) from embedding_job where state in ('available', 'running', 'retryable')", null);
    }

    /** Whatever no history may have, in words; empty when all is well. */
    List<String> findings() {
        List<String> findings = new ArrayList<>();
        Map<Long, List<Event>> jobs = new LinkedHashMap<>();
        Map<String, Integer> finishes = new LinkedHashMap<>();
        Map<String, Integer> vectors = new LinkedHashMap<>();
        Map<Integer, String> owners = new HashMap<>();
        read(
                "select transaction::text, backend, coalesce(job, 0), memory::text || ' ' || encode(content_hash, 'hex'), coalesce(attempt, 0), state,"
                        + " coalesce(holder, ''), state = 'expired' and held_until > at from chaos_history order by n",
                null,
                row -> {
                    Event event = new Event(
                            row.getString(1),
                            row.getInt(2),
                            row.getLong(3),
                            row.getString(4),
                            row.getInt(5),
                            row.getString(6),
                            row.getString(7),
                            row.getBoolean(8));
                    String write = event.transaction() + " " + event.memory();
                    if (event.state().equals("vector")) {
                        vectors.merge(write, 1, Integer::sum);
                    } else {
                        jobs.computeIfAbsent(event.job(), ignored -> new ArrayList<>())
                                .add(event);
                        if (event.state().equals("running")) {
                            owners.put(event.backend(), event.holder());
                        }
                        if (event.state().equals("done")) {
                            finishes.merge(write, 1, Integer::sum);
                        }
                    }
                });
        jobs.forEach((job, events) -> {
            check(job, events, findings);
            events.stream()
                    .filter(event -> ENDINGS.contains(event.state()) && meddled(event, owners))
                    .forEach(event ->
                            findings.add("the attempt of " + event + " was ended by " + owners.get(event.backend())));
        });
        finishes.forEach((write, times) -> {
            if (times != 1 || !vectors.containsKey(write)) {
                findings.add(write + " was finished " + times + " times, vectors: " + vectors.get(write));
            }
        });
        vectors.keySet().stream()
                .filter(write -> !finishes.containsKey(write))
                .forEach(write -> findings.add(write + " got a vector, and its job was not finished with it"));
        return findings;
    }

    /** Attempts are numbered without a gap, belong to one runner each, and only the last one finishes. */
    private static void check(long job, List<Event> events, List<String> findings) {
        int attempt = 0;
        String holder = "";
        boolean running = false;
        boolean done = false;
        for (Event event : events) {
            boolean claim = event.state().equals("running");
            boolean right;
            if (claim) {
                right = !running && event.attempt() == attempt + 1;
            } else if (running) {
                right = event.attempt() == attempt && event.holder().equals(holder) && !event.early();
            } else {
                // Nobody ran it: then only its memory's change or end can have ended it.
                right = event.state().equals("cancelled") && event.attempt() == attempt;
            }
            right &= !done;
            if (!right) {
                findings.add("job " + job + " has no right to be " + event + " after " + events);
                return;
            }
            attempt = event.attempt();
            holder = claim ? event.holder() : holder;
            running = claim;
            done = event.state().equals("done");
        }
    }

    /** Whether somebody else ended it; connections of which no job was ever taken tell nothing. */
    private static boolean meddled(Event event, Map<Integer, String> owners) {
        return !event.holder().equals(owners.getOrDefault(event.backend(), event.holder()));
    }

    private long count(String sql, @Nullable String holder) {
        long[] counted = new long[1];
        read(sql, holder, row -> counted[0] = row.getLong(1));
        return counted[0];
    }

    private void read(String sql, @Nullable String holder, RowReader reader) {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (holder != null) {
                statement.setString(1, holder);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reader.read(rows);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes one row. */
    private interface RowReader {
        void read(ResultSet row) throws SQLException;
    }
}
