package io.recallgate.gateway.http.transfer;

import io.recallgate.gateway.runtime.GatewayRuntime;

/** What imports and exports work with. */
record TransferParts(
        GatewayRuntime runtime,
        TransferClock time,
        Retrying retrying,
        TransferOptions options,
        TransferMetrics metrics) {}
