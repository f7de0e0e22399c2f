package io.recallgate.bench.pool;

/** Somebody who embeds texts as fast as they can. */
interface Contender extends AutoCloseable {

    /** For the table. */
    String name();

    /** Takes texts from {@code feed} until it ends, and tells it of each that is done. Returns when all are. */
    void embed(Feed feed) throws Exception;

    @Override
    void close();
}
