package io.recallgate.gateway.cli.bench.sessions;

/** Something that is in trouble until it is closed. */
@FunctionalInterface
interface Trouble extends AutoCloseable {

    /** None. */
    Trouble NONE = () -> {};

    @Override
    void close();
}
