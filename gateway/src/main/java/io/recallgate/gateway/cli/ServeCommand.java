package io.recallgate.gateway.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code serve}. */
@Command(
        name = "serve",
        description = "Starts the gateway and runs until Ctrl-C: with an embedded PostgreSQL unless"
                + " RECALLGATE_DATABASE_URL names one.",
        footer = {
            "",
            "It prints a line once it listens and another once it is ready; in between it answers 503.",
            "conf/recallgate.yaml lists every setting; environment variables win over it.",
            "",
            "Examples:",
            "  ./recallgate serve",
            "  ./recallgate serve --port 0 --data-dir /var/lib/recallgate",
            "  RECALLGATE_DATABASE_URL=postgresql://user:secret@db:5432/memories ./recallgate serve"
        })
final class ServeCommand implements Callable<Integer> {

    private final CliContext context;
    private final GatewayServer server;

    @Mixin
    private final ServerOptions options = new ServerOptions();

    ServeCommand(CliContext context, GatewayServer server) {
        this.context = context;
        this.server = server;
    }

    @Override
    public Integer call() {
        return server.run(options.environment(context), options.file(context), url -> {});
    }
}
