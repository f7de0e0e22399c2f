package io.recallgate.gateway.launch;

import io.recallgate.gateway.postgres.PostgresEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the database beside its gateways, with statements of its own, and says what should not be so. */
final class ChaosChecker {

    /** What must find nothing. */
    private static final Map<String, String> RULES = rules();

    private final PostgresEndpoint database;

    ChaosChecker(PostgresEndpoint database) {
        this.database = database;
    }

    /** Of the embedded PostgreSQL of a gateway. */
    static ChaosChecker beside(Path dataDir) throws IOException {
        Path cluster = dataDir.resolve("postgres/cluster-17");
        String port =
                Files.readAllLines(cluster.resolve("pgdata/postmaster.pid")).get(3);
        String password = Files.readString(cluster.resolve("password")).strip();
        return new ChaosChecker(new PostgresEndpoint(
                "127.0.0.1", Integer.parseInt(port.strip()), "recallgate", "recallgate", password));
    }

    private static Map<String, String> rules() {
        Map<String, String> rules = new LinkedHashMap<>();
        rules.put(
                "memories without all vectors of their content",
                "select m.external_id from memory m where owner <> 'recallgate:probes' and not exists"
                        + " (select 1 from memory_vector v"
                        + " where v.memory_id = m.id and v.content_hash = m.content_hash"
                        + " group by v.fingerprint having count(*) = max(v.passages) and min(v.passages) = max(v.passages))");
        rules.put(
                "vectors without a memory of that content, owner and project",
                "select v.memory_id::text from memory_vector v left join memory m on m.id = v.memory_id"
                        + " and m.content_hash = v.content_hash and m.owner = v.owner and m.project = v.project"
                        + " where m.id is null");
        rules.put(
                "jobs that are not finished",
                "select id || ' ' || state || ' ' || errors::text from embedding_job where state not in ('done', 'cancelled')");
        rules.put(
                "memories whose content was embedded by no job",
                "select m.external_id from memory m where owner <> 'recallgate:probes' and not exists"
                        + " (select 1 from embedding_job j"
                        + " where j.memory_id = m.id and j.content_hash = m.content_hash and j.state = 'done')");
        rules.put(
                "contents embedded twice",
                "select min(m.external_id) from embedding_job j join memory m on m.id = j.memory_id"
                        + " and m.updated_at = m.created_at where j.state = 'done' group by j.memory_id having count(*) > 1");
        return rules;
    }

    /** Everything that is wrong, in words; empty when all is well. */
    List<String> findings(ChaosLog log) throws SQLException {
        List<String> findings = new ArrayList<>();
        try (Connection connection = open();
                Statement statement = connection.createStatement()) {
            Map<String, List<String>> stored = new HashMap<>();
            try (ResultSet rows = statement.executeQuery(
                    "select external_id, content from memory where owner <> 'recallgate:probes'")) {
                while (rows.next()) {
                    stored.computeIfAbsent(rows.getString(1), ignored -> new ArrayList<>())
                            .add(rows.getString(2));
                }
            }
            findings.addAll(log.differences(stored));
            for (Map.Entry<String, String> rule : RULES.entrySet()) {
                try (ResultSet rows = statement.executeQuery(rule.getValue())) {
                    while (rows.next()) {
                        findings.add(rule.getKey() + ": " + rows.getString(1));
                    }
                }
            }
        }
        return findings;
    }

    private Connection open() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://" + database.host() + ":" + database.port() + "/" + database.database(),
                database.user(),
                database.password());
    }
}
