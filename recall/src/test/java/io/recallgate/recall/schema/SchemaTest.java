package io.recallgate.recall.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.recall.database.JdbcSource;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

class SchemaTest {

    @Test
    void anEmptyDatabaseIsMigratedAndASecondStartChangesNothing() {
        try (TestDatabase database = TestDatabase.empty()) {
            assertThat(Schema.migrateBlocking(database.options()).migrations()).isPositive();
            assertThat(Schema.migrateBlocking(database.options()).migrations()).isZero();
        }
    }

    @Test
    void vectorsOfLongTextsFromBeforePassagesStayAndCountAsMissing() {
        try (TestDatabase database = TestDatabase.empty()) {
            Flyway.configure()
                    .dataSource(JdbcSource.of(database.options()))
                    .locations("classpath:db/migration")
                    .table("recallgate_schema_history")
                    .target("2")
                    .load()
                    .migrate();
            database.execute("with written as (insert into memory (id, owner, kind, content, content_hash, words,"
                    + " word_count) select gen_random_uuid(), 'o', 'note', content, sha256(content::bytea), '', 1"
                    + " from unnest(array['short', repeat('long ', 100), repeat('長い', 80)]) content"
                    + " returning id, content_hash) insert into memory_vector (memory_id, fingerprint, owner, project,"
                    + " content_hash, dimensions, vector) select id, 'f', 'o', '', content_hash, 1, '\\x0000803f'"
                    + " from written");

            assertThat(Schema.migrateBlocking(database.options()).migrations()).isPositive();

            assertThat(database.queryText("select string_agg(left(m.content, 5) || v.passages, ' ' order by m.content)"
                            + " from memory m join memory_vector v on v.memory_id = m.id"))
                    .isEqualTo("long 0 short1 長い長い長0");
        }
    }

    @Test
    void twoStartersAtOnceBothSucceedAndMigrateOnce() {
        Vertx vertx = Vertx.vertx();
        try (TestDatabase database = TestDatabase.empty()) {
            Future<Schema.Report> one = Schema.migrate(vertx, database.options());
            Future<Schema.Report> two = Schema.migrate(vertx, database.options());
            assertThat(Await.result(one).version()).isEqualTo(Await.result(two).version());
            assertThat(database.queryText("select count(*) from recallgate_schema_history where version = '1'"))
                    .isEqualTo("1");
        } finally {
            Await.result(vertx.close());
        }
    }

    @Test
    void aNewerSchemaIsRefused() {
        try (TestDatabase database = TestDatabase.embedded()) {
            database.execute(
                    "insert into recallgate_schema_history (installed_rank, version, description, type, script,"
                            + " installed_by, execution_time, success) values (999, '999', 'future', 'SQL', 'V999__future.sql',"
                            + " 'x', 1, true)");
            assertThat(refusal(database.options())).contains("schema version 999", "newer than this program");
        }
    }

    @Test
    void anotherLocaleOrEncodingIsRefusedWithWhatToDo() {
        try (TestDatabase database = TestDatabase.empty("template template0 encoding 'UTF8' locale 'C'")) {
            assertThat(refusal(database.options())).contains("character type C", "create database");
        }
        try (TestDatabase database = TestDatabase.empty("template template0 encoding 'SQL_ASCII' locale 'C'")) {
            assertThat(refusal(database.options())).contains("encoding SQL_ASCII", "UTF8");
        }
    }

    @Test
    void theBuiltinUnicodeLocaleIsAsGood() {
        try (TestDatabase database = TestDatabase.empty(
                "template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'")) {
            assertThat(Schema.migrateBlocking(database.options()).migrations()).isPositive();
        }
    }

    @Test
    void aServerThatIsNotThereAndARoleThatDoesNotExistAreToldApart() {
        try (TestDatabase database = TestDatabase.empty()) {
            DatabaseOptions good = database.options();
            assertThat(refusal(DatabaseOptions.parse("postgresql://u:secret@127.0.0.1:1/db")))
                    .contains("cannot be reached")
                    .doesNotContain("secret");
            assertThat(refusal(DatabaseOptions.parse("postgresql://nobody:secret@127.0.0.1:" + good.port() + "/"
                            + good.database() + "?sslmode=disable")))
                    .contains("nobody")
                    .doesNotContain("secret");
            assertThat(refusal(good.withDatabase("nowhere"))).contains("does not exist");
        }
    }

    @Test
    void aRoleWithoutRightsIsToldWhatToGrant() {
        try (TestDatabase database = TestDatabase.empty()) {
            String role = "r_" + database.options().database();
            database.execute("create role \"" + role + "\" login password 'x'");
            try {
                assertThat(refusal(DatabaseOptions.parse("postgresql://" + role + ":x@127.0.0.1:"
                                + database.options().port() + "/"
                                + database.options().database()
                                + "?sslmode=disable")))
                        .contains("create tables", "grant create");
            } finally {
                database.execute("drop role \"" + role + "\"");
            }
        }
    }

    @Test
    void anOldServerIsRefused() {
        ServerFacts facts = new ServerFacts(140_011, "14.11", "UTF8", "c", "C.UTF-8", "C.UTF-8", "public", true);
        FailureException failure = catchThrowableOfType(
                FailureException.class,
                () -> facts.requireUsable(DatabaseOptions.parse("postgresql://u@localhost/db")));
        assertThat(failure.detail()).contains("PostgreSQL 14.11", "15 or newer");
    }

    private static String refusal(DatabaseOptions options) {
        FailureException failure = catchThrowableOfType(FailureException.class, () -> Schema.migrateBlocking(options));
        assertThat(failure.code()).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
        assertThat(failure.detail()).doesNotContain("\n");
        return failure.detail();
    }
}
