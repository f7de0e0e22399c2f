package io.recallgate.embedding.api;

/** Who goes first: queries hold somebody's turn open, documents do not. Fairness still lets documents progress. */
public enum Priority {
    /** Somebody waits for the answer. */
    QUERY,
    /** Background work. */
    DOCUMENT
}
