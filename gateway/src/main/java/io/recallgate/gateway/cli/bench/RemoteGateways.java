package io.recallgate.gateway.cli.bench;

import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.gateway.cli.importing.EmbeddingWatch;
import io.recallgate.gateway.cli.importing.Importer;
import io.recallgate.gateway.cli.importing.Watched;
import io.recallgate.time.Clock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Gateways in JVMs of their own, one after the other on the same data, that all ask one scripted provider. Used by one
 * thread.
 */
final class RemoteGateways {

    private static final Duration EMBED_BOUND = Duration.ofMinutes(30);
    private static final Duration EMBED_STALL = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int WARM_CLIENTS = 4;

    private final Screen screen;
    private final Clock clock;
    private final Pauses pauses;
    private final Path directory;
    private final StallingProvider provider;
    private final Contents contents;

    /**
     * What they serve.
     *
     * @param memories that the first one is filled with
     * @param warm recalls in each mode before anything is measured
     * @param seed of their texts
     */
    record Contents(int memories, int warm, long seed) {}

    RemoteGateways(
            Screen screen, Clock clock, Pauses pauses, Path directory, StallingProvider provider, Contents contents) {
        this.screen = screen;
        this.clock = clock;
        this.pauses = pauses;
        this.directory = directory;
        this.provider = provider;
        this.contents = contents;
    }

    /**
     * Starts a gateway, fills it if it is empty, warms it up and measures.
     *
     * @param name shown beside the progress
     * @param settings of this gateway besides those of its provider
     * @param measuring sends what is to be measured
     */
    <T> T measure(String name, Map<String, String> settings, Function<CallLoad, T> measuring) {
        Map<String, String> all = new HashMap<>(provider.settings());
        all.putAll(settings);
        int port = ChildGateway.freePort();
        GatewayAddress address = GatewayAddress.of("http://127.0.0.1:" + port, null, null);
        GatewayClient client = new GatewayClient(address, clock, pauses, PATIENCE);
        provider.stall(0, 0);
        try (ChildGateway gateway = ChildGateway.startWith(
                client, clock, pauses, new ChildGateway.Launch(port, directory, all, List.of()))) {
            try (Progress progress = new Progress(screen, clock, name)) {
                progress.show("starting");
                gateway.awaitMillis("/health/ready");
            }
            fill(client, name);
            CallLoad load = new CallLoad(new GatewayClient(address, clock, pauses, Duration.ZERO), clock, pauses);
            warm(load, name);
            T measured = measuring.apply(load);
            gateway.stopMillis();
            return measured;
        }
    }

    private void fill(GatewayClient client, String name) {
        try (SyntheticMemories memories = new SyntheticMemories(contents.seed(), contents.memories());
                Progress progress = new Progress(screen, clock, name + ", filling")) {
            // They have ids, so those that are there already stay as they are.
            new Importer(client, null, importer -> progress.show(importer.accepted(), contents.memories(), "memories"))
                    .run(memories, clock::nanoTime);
            Watched watched = new EmbeddingWatch(client, clock, pauses).await(EMBED_BOUND, EMBED_STALL, progress);
            if (!watched.complete()) {
                throw new CommandFailedException("nothing was measured: " + watched.explain());
            }
        }
    }

    private void warm(CallLoad load, String name) {
        SyntheticMemories questions = new SyntheticMemories(contents.seed() + 2, 0);
        List<CallLoad.Call> calls = new ArrayList<>();
        for (int i = 0; i < contents.warm(); i++) {
            for (String mode : List.of("hybrid", "lexical", "strict")) {
                calls.add(new CallLoad.Call(mode, questions.question(), null, false, 0));
            }
        }
        try (Progress progress = new Progress(screen, clock, name + ", warming")) {
            load.run(calls, WARM_CLIENTS, progress);
        }
    }
}
