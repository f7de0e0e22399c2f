package io.recallgate.gateway.runtime;

import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.WorkerOperations;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.probe.ProbeOperations;
import io.recallgate.recall.api.JobService;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallStatistics;

/**
 * What the routes serve, once it is there.
 *
 * @param memories writes and reads memories
 * @param jobs shows and retries embedding jobs
 * @param recall recalls
 * @param statistics what recall did of late
 * @param embedder the configured provider; with {@code none} one that fails with {@code no-embedding-provider}
 * @param workers the local pool's operations
 * @param probes shows and runs probes
 * @param turns makes of a conversation's request what its provider is sent
 */
public record Services(
        MemoryService memories,
        JobService jobs,
        RecallService recall,
        RecallStatistics statistics,
        Embedder embedder,
        WorkerOperations workers,
        ProbeOperations probes,
        TurnPreparation turns) {}
