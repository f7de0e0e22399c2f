package io.recallgate.gateway.probe;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The probes there are. */
public enum ProbeName {
    /** Embeds a text, writes it, reads it back and removes it. */
    EMBEDDING_WRITE,
    /** Recalls something that is known to be there. */
    KNOWLEDGE;

    /** As in paths, JSON and metrics: {@code embedding-write}. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The one with this name, empty for none. */
    public static Optional<ProbeName> of(String wireName) {
        return Arrays.stream(values())
                .filter(name -> name.wireName().equals(wireName))
                .findFirst();
    }
}
