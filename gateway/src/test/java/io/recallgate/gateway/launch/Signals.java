package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Sends processes what Java cannot. */
final class Signals {

    private Signals() {}

    /**
     * Sends it to all of them at once.
     *
     * @param signal its name: {@code STOP}
     */
    static void send(String signal, long... processes) throws IOException, InterruptedException {
        String ids = Arrays.stream(processes).mapToObj(Long::toString).collect(Collectors.joining(" "));
        Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + ids).start();
        assertThat(kill.waitFor()).as("kill -%s %s", signal, ids).isZero();
    }
}
