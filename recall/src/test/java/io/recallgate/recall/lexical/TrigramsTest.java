package io.recallgate.recall.lexical;

import io.recallgate.recall.TestDatabase;

/** On the embedded server, which has the extension. */
class TrigramsTest extends TrigramContract {

    @Override
    TestDatabase openServer() {
        return TestDatabase.embedded();
    }
}
