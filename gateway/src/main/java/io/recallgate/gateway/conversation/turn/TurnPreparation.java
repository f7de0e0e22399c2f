package io.recallgate.gateway.conversation.turn;

import io.vertx.core.Future;

/** Makes of a client's request what the provider is sent. */
public interface TurnPreparation {

    /**
     * Takes the turn from {@link Phase#DECODE} to {@link Phase#ASSEMBLE}. Trouble with memory never fails it: what memory
     * cannot give in its budget is left out and labelled. Called on the request's event loop, where the future completes.
     *
     * @param run is told each phase
     * @return fails with a {@link io.recallgate.failure.FailureException}: {@code invalid-json}, {@code invalid-field}, {@code
     *     deadline-exceeded} (the lifetime), {@code cancelled}, {@code overloaded} (nothing safe can be sent now)
     */
    Future<PreparedTurn> prepare(TurnRequest request, PhaseRun run);
}
