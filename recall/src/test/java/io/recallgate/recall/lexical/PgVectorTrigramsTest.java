package io.recallgate.recall.lexical;

import io.recallgate.recall.TestDatabase;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** On the server with pgvector. */
@EnabledIfEnvironmentVariable(named = TestDatabase.PGVECTOR_URL, matches = ".+")
class PgVectorTrigramsTest extends TrigramContract {

    @Override
    TestDatabase openServer() {
        return TestDatabase.pgvector();
    }
}
