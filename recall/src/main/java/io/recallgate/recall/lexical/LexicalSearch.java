package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.Scope;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to look for.
 *
 * @param scope whose memories
 * @param text the question as it was asked
 * @param limit 1 to {@link #MAX_LIMIT}
 * @param session only this session, null for all
 * @param kinds only these, empty for all
 * @param ranking what counts
 * @param includeSuperseded whether also memories that others supersede
 */
public record LexicalSearch(
        Scope scope,
        String text,
        int limit,
        @Nullable String session,
        Set<MemoryKind> kinds,
        RankingSettings ranking,
        boolean includeSuperseded) {

    /** The most hits of the leg; fusion wants more than the answer has. */
    public static final int MAX_LIMIT = 100;

    /** Checks the limit. */
    public LexicalSearch {
        kinds = Set.copyOf(kinds);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit out of 1.." + MAX_LIMIT + ": " + limit);
        }
    }

    /** One with the usual ranking. */
    public LexicalSearch(Scope scope, String text, int limit, @Nullable String session, Set<MemoryKind> kinds) {
        this(scope, text, limit, session, kinds, RankingSettings.DEFAULTS, false);
    }

    /** Whether a memory may be found. */
    boolean admits(Remembered memory) {
        return (kinds.isEmpty() || kinds.contains(memory.kind())) && (includeSuperseded || !memory.superseded());
    }

    /** The kinds by name, all of them when none is chosen. */
    String[] kindNames() {
        return (kinds.isEmpty() ? Set.of(MemoryKind.values()) : kinds)
                .stream().map(MemoryKind::wireName).sorted().toArray(String[]::new);
    }
}
