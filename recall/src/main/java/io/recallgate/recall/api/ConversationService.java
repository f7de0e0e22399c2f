package io.recallgate.recall.api;

import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.util.List;

/**
 * What conversations need besides recall. May be called on any thread. Every future fails with a {@link
 * io.recallgate.failure.FailureException}: {@code database-unavailable}, {@code deadline-exceeded}, {@code overloaded},
 * {@code cancelled}, {@code shutting-down}.
 */
public interface ConversationService {

    /** The most messages of one {@link #load}: a session keeps no more injections. */
    int MAX_CHAINS = 512;

    /**
     * What is known of a session.
     *
     * @param chains of the messages whose injections are wanted, hex; at most {@link #MAX_CHAINS}
     * @param cancel ends the statements on the server
     */
    Future<Conversation> load(Scope scope, String session, List<String> chains, Deadline deadline, CancelSignal cancel);

    /**
     * Pinned memories, oldest first. Their {@link Memory#state()} is not looked at and says nothing.
     *
     * @param limit at most so many
     * @param cancel ends the statement on the server
     */
    Future<List<Memory>> pinned(Scope scope, int limit, Deadline deadline, CancelSignal cancel);

    /**
     * Stores a turn's memories, their embedding jobs, its checkpoint and its injection in one transaction, or nothing. The
     * same turn again changes nothing but the time.
     */
    Future<Void> accept(Scope scope, AcceptedTurn turn, Deadline deadline);
}
