package io.recallgate.bench.pool;

import java.util.List;

/** Somebody who embeds texts as fast as they can. */
interface Contender extends AutoCloseable {

    /** For the table. */
    String name();

    /** Embeds all of them; returns when the last vector is there. */
    void embed(List<String> texts) throws Exception;

    @Override
    void close();
}
