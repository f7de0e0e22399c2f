package io.recallgate.recall.api;

/**
 * How far a conversation was accepted: what its next request may go on from.
 *
 * @param chain hex SHA-256 over the messages of the accepted request
 * @param messages how many that were, instructions not counted; at least 1
 * @param windowStart the first of them that was sent on
 * @param shortenedUntil before which of them long outputs were shortened
 * @param windowTokens of the messages that were sent on, without memories
 * @param counted whether the tokens were counted and not estimated
 * @param tokenizer whose tokens they are
 */
public record Checkpoint(
        String chain,
        int messages,
        int windowStart,
        int shortenedUntil,
        long windowTokens,
        boolean counted,
        String tokenizer) {}
