package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.bench.ChildGateway;
import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.measure.PrometheusText;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A gateway that turns are sent to, with clients of it. Used by one thread, but for its clients. */
final class SessionGateway implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final BenchContext context;
    private final ChildGateway child;
    private final GatewayClient patient;
    private final GatewayClient once;
    private final int debugPort;

    private SessionGateway(BenchContext context, ChildGateway child, GatewayAddress address, int debugPort) {
        this.context = context;
        this.child = child;
        this.debugPort = debugPort;
        patient = new GatewayClient(address, context.clock(), context.pauses(), PATIENCE);
        once = new GatewayClient(address, context.clock(), context.pauses(), Duration.ZERO);
    }

    /**
     * Starts one and waits until it is ready.
     *
     * @param stoppable whether its threads can be stopped
     */
    static SessionGateway start(BenchContext context, Path directory, Map<String, String> settings, boolean stoppable) {
        int port = ChildGateway.freePort();
        int debugPort = stoppable ? ChildGateway.freePort() : 0;
        GatewayAddress address = GatewayAddress.of("http://127.0.0.1:" + port, null, null);
        ChildGateway child = ChildGateway.startWith(
                new GatewayClient(address, context.clock(), context.pauses(), PATIENCE),
                context.clock(),
                context.pauses(),
                new ChildGateway.Launch(
                        port, directory, settings, stoppable ? List.of(StoppedThreads.flag(debugPort)) : List.of()));
        SessionGateway gateway = new SessionGateway(context, child, address, debugPort);
        try {
            child.awaitMillis("/health/ready");
            return gateway;
        } catch (RuntimeException e) {
            gateway.close();
            throw e;
        }
    }

    URI url() {
        return patient.address().url();
    }

    ChildGateway child() {
        return child;
    }

    /** Waits when it is told to. */
    GatewayClient patient() {
        return patient;
    }

    /** Asks once. */
    GatewayClient once() {
        return once;
    }

    PrometheusText metrics() {
        return PrometheusText.parse(patient.get("/metrics").text());
    }

    StoppedThreads stopThreads(String prefix) {
        return StoppedThreads.begin(debugPort, prefix, context.pauses());
    }

    /** As a power cut would. */
    void kill() {
        child.kill();
    }

    /** Ends it in order. */
    void stop() {
        child.stopMillis();
    }

    @Override
    public void close() {
        child.close();
    }
}
