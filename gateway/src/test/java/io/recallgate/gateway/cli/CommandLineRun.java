package io.recallgate.gateway.cli;

import io.recallgate.gateway.cli.console.Screen;
import io.recallgate.time.FakeClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs command lines in the test's own process, with a clock that only pauses move. */
final class CommandLineRun {

    final FakeClock clock = new FakeClock();
    final List<Long> pauses = new ArrayList<>();
    final Map<String, String> environment = new HashMap<>();
    GatewayServer server = new NoServer();
    String stdin = "";
    boolean terminal;
    int columns = 100;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    int run(String... arguments) {
        Screen screen = new Screen(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                terminal,
                terminal,
                terminal && !environment.containsKey("NO_COLOR"),
                columns);
        CliContext context = new CliContext(
                screen,
                new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)),
                environment,
                clock,
                this::pause);
        return RecallgateCommand.run(context, server, arguments);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private synchronized void pause(long millis) {
        pauses.add(millis);
        clock.advance(Duration.ofMillis(millis));
    }

    private static final class NoServer implements GatewayServer {
        @Override
        public int run(Map<String, String> environment, Optional<Path> file, Consumer<String> onListening) {
            throw new AssertionError("this command starts no server");
        }

        @Override
        public void stop() {
            throw new AssertionError("this command stops no server");
        }
    }
}
