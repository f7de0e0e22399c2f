package io.recallgate.gateway.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code bench}: only groups its subcommands. */
@Command(
        name = "bench",
        description = "Measures speed and memory with workloads anybody can repeat.",
        footer = {
            "",
            "Examples:",
            "  ./recallgate bench recall --memories 5000",
            "  ./recallgate bench start --recalls 10000",
            "  ./recallgate bench sessions --scenario idle,embeddings-hung",
            "  ./recallgate bench relay --beside portkey",
            "  ./recallgate bench replay",
            "",
            "The script adds bench pool, write, import, jobs, vectors and jmh, each with its own --help."
        })
final class BenchCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(),
                "say what to measure: 'recall', 'sessions', 'relay', 'replay', 'stalled', 'probes', 'start' or 'metrics', or"
                        + " with the script 'pool', 'write', 'jobs', 'import', 'vectors' or 'jmh'");
    }
}
