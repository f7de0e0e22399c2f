package io.recallgate.gateway.runtime;

/**
 * What a gateway is made of.
 *
 * @param database the PostgreSQL that serves
 * @param memory memories, jobs and recall on it
 * @param embedding who embeds
 */
record Parts(DatabasePart database, MemoryPart memory, EmbeddingPart embedding) {}
