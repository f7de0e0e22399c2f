package io.recallgate.gateway.runtime;

import io.recallgate.embedding.api.Embedder;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.probe.Probe;
import io.recallgate.recall.api.JobService;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.RecallService;
import io.recallgate.recall.api.RecallStatistics;
import io.recallgate.recall.database.DatabaseOptions;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Memories, jobs and recall on a database. */
interface MemoryPart {

    /**
     * Checks and migrates the database and opens the services on it.
     *
     * @param options where the database is
     * @param embedder may not be up yet
     * @return fails with one line that says what is wrong and what to do
     */
    Future<Opened> open(DatabaseOptions options, Embedder embedder);

    /** What is there once it is open. */
    interface Opened {

        /** Writes and reads memories. */
        MemoryService memories();

        /** Shows and retries jobs. */
        JobService jobs();

        /** Recalls. */
        RecallService recall();

        /** What recall did of late. */
        RecallStatistics statistics();

        /** Makes of a conversation's request what its provider is sent. */
        TurnPreparation turns();

        /** What can be tried out on it. */
        List<Probe> probes();

        /** {@code schema}, {@code server} and {@code trigrams}, for health. */
        JsonObject facts();

        /** Whether the database answers. */
        Future<Void> ping(Deadline deadline);

        /** Claims no more jobs and gives the leases of running ones back. */
        Future<Void> stopJobs();

        /** Closes what is open on the database. */
        Future<Void> close();
    }
}
