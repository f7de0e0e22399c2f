package io.recallgate.recall.api;

import java.util.Locale;

/**
 * What a ranking may go by, beside the words and the meaning of a memory. Each can be switched off; what each is worth is
 * in DESIGN-DECISIONS.md, with the command that measured it.
 */
public enum RankingSignal {
    /** The words of the turns before and after one in its session count for it, by how near they are. */
    NEIGHBOURS,
    /** Neighbours count only where turns that follow each other speak of the same things; without it, in every session. */
    COHESION,
    /** The author's name is among the words of a memory. */
    AUTHOR_WORDS,
    /** The date, in words, is among the words of a memory. */
    DATE_WORDS,
    /** A memory by somebody whom the question names gets a fixed part of the score more. */
    AUTHOR_MATCH,
    /** A pinned memory gets a small fixed part of the score more. */
    PINNED,
    /** Names of known authors are left out of what is embedded of a question. */
    NAME_STRIPPING;

    /** As users write it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
