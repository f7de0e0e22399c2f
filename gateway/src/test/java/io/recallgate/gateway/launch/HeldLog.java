package io.recallgate.gateway.launch;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A gateway process whose standard error can be held, as a full pipe does whose reader stands still: every write waits
 * while the file {@value #HELD} is in the working directory.
 */
final class HeldLog {

    static final String HELD = "held";

    private static final long LOOK_NANOS = 10_000_000;

    private HeldLog() {}

    public static void main(String... arguments) {
        Path held = Path.of(HELD);
        OutputStream real = new FileOutputStream(FileDescriptor.err);
        OutputStream holding = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                while (Files.exists(held)) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
                real.write(bytes, offset, length);
            }
        };
        System.setErr(new PrintStream(holding, true, StandardCharsets.UTF_8));
        Main.main(arguments);
    }
}
