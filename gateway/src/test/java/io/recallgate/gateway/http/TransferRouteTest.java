package io.recallgate.gateway.http;

import io.recallgate.gateway.http.transfer.TransferOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** One gateway for each test of a streaming route, with the bounds that the test wants. */
abstract class TransferRouteTest {

    /** Patient enough that no bound but the one under test is met. */
    static final TransferOptions PATIENT = new TransferOptions(1, 1, 20_000, 20_000, 20);

    private @Nullable TestGateway open;

    final TestGateway gateway(TransferOptions options) {
        TestGateway gateway = new TestGateway(null, options);
        open = gateway;
        return gateway;
    }

    @AfterEach
    void stop() {
        if (open != null) {
            open.close();
        }
    }
}
