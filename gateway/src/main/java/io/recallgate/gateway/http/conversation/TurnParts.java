package io.recallgate.gateway.http.conversation;

import io.recallgate.gateway.conversation.admission.TurnAdmission;
import io.recallgate.gateway.conversation.turn.MemoryUse;
import io.recallgate.gateway.conversation.turn.PassThrough;
import io.recallgate.gateway.conversation.turn.TurnPreparation;
import io.recallgate.gateway.conversation.upstream.Upstream;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.runtime.GatewayRuntime;

/**
 * What all turns share.
 *
 * @param runtime whose services prepare
 * @param environment clock and timers
 * @param admission places
 * @param provider the real ones
 * @param demo in their place
 * @param passThrough prepares turns without memory
 * @param metrics counts
 */
record TurnParts(
        GatewayRuntime runtime,
        HttpEnvironment environment,
        TurnAdmission admission,
        Upstream provider,
        Upstream demo,
        PassThrough passThrough,
        TurnMetrics metrics) {

    Upstream upstream() {
        return runtime.conversation().upstream().demo() ? demo : provider;
    }

    TurnPreparation preparation(MemoryUse memory) {
        return memory == MemoryUse.OFF ? passThrough : runtime.services().turns();
    }
}
