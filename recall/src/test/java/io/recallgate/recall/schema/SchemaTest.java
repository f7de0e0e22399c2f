package io.recallgate.recall.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.TestDatabase;
import org.junit.jupiter.api.Test;

class SchemaTest {

    @Test
    void anEmptyDatabaseIsMigratedAndASecondStartChangesNothing() {
        try (TestDatabase database = TestDatabase.empty()) {
            assertThat(Schema.migrateBlocking(database.options()).migrations()).isPositive();
            assertThat(Schema.migrateBlocking(database.options()).migrations()).isZero();
        }
    }
}
