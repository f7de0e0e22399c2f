package io.recallgate.gateway.cli.console;

import java.util.Locale;

/** Numbers of things, as people write them. */
public final class Counted {

    private Counted() {}

    /** {@code 1 memory}, {@code 1,200 memories}. */
    public static String memories(long count) {
        return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? "memory" : "memories");
    }
}
