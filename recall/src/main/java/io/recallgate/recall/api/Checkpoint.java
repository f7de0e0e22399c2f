package io.recallgate.recall.api;

/**
 * How far a conversation was accepted: what its next request may go on from.
 *
 * @param chain hex SHA-256 over the messages of the accepted request
 * @param messages how many that were, instructions not counted; at least 1
 * @param windowStart the first of them that was sent on
 * @param windowTokens what was sent on, without memories
 * @param tokenizer that counted them
 */
public record Checkpoint(String chain, int messages, int windowStart, long windowTokens, String tokenizer) {}
