package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.read.ReadWorkers;
import io.recallgate.time.Deadline;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;

/**
 * Makes a compressed body what it was. It is read twice: first only to count, so that a body that unpacks to gigabytes
 * costs no memory and what is held afterwards is exactly what was asked of the quota. For a worker.
 */
final class Inflation {

    private static final String HEADER = "content-encoding";
    private static final int STEP_BYTES = 64 * 1024;

    private final Coding coding;
    private final List<Buffer> compressed;
    private final long limitBytes;
    private final Deadline deadline;

    /** How a body may be compressed. */
    enum Coding {
        GZIP,
        /** As RFC 9110 has it, in a zlib frame; bare, as some clients send it, it is taken too. */
        DEFLATE;

        /** Of a {@code content-encoding} header, empty for one that is none of these. */
        static Optional<Coding> of(String header) {
            return switch (header.trim().toLowerCase(Locale.ROOT)) {
                case "gzip", "x-gzip" -> Optional.of(GZIP);
                case "deflate" -> Optional.of(DEFLATE);
                default -> Optional.empty();
            };
        }
    }

    /**
     * Of one body.
     *
     * @param limitBytes of what comes out
     * @param deadline it gives up after
     */
    Inflation(Coding coding, List<Buffer> chunks, long limitBytes, Deadline deadline) {
        this.coding = coding;
        this.compressed = chunks;
        this.limitBytes = limitBytes;
        this.deadline = deadline;
    }

    /**
     * Inflates.
     *
     * @param charge gets what comes out
     * @throws FailureException {@code invalid-field} for what is not so compressed, {@code payload-too-large}, {@code
     *     overloaded}, {@code deadline-exceeded}
     */
    byte[] run(Charge charge) {
        try {
            byte[] whole = new byte[Math.toIntExact(counted(charge))];
            try (Source source = new Source()) {
                int read = source.stream.readNBytes(whole, 0, whole.length);
                if (read != whole.length) {
                    throw new IllegalStateException("a body inflates to another length the second time");
                }
            }
            return whole;
        } catch (IOException damaged) {
            throw FailureException.ofField(
                            FailureCode.INVALID_FIELD,
                            HEADER,
                            "the body is not whole and valid " + coding.name().toLowerCase(Locale.ROOT))
                    .causedBy(damaged);
        }
    }

    private long counted(Charge charge) throws IOException {
        byte[] step = new byte[STEP_BYTES];
        long bytes = 0;
        try (Source source = new Source()) {
            for (int read = source.stream.read(step); read >= 0; read = source.stream.read(step)) {
                bytes += read;
                if (bytes > limitBytes) {
                    throw BodyReader.tooLarge(limitBytes);
                }
                ReadWorkers.checkDeadline(deadline);
            }
        }
        if (!charge.take(bytes)) {
            throw new FailureException(FailureCode.OVERLOADED, "too many bodies are held")
                    .retryAfter(Duration.ofSeconds(1));
        }
        return bytes;
    }

    /** What comes out, once; frees the native memory of the inflater. */
    private final class Source implements AutoCloseable {

        private final InputStream stream;
        private final Optional<Inflater> inflater;

        Source() throws IOException {
            InputStream in = new Chunks(compressed);
            if (coding == Coding.GZIP) {
                inflater = Optional.empty();
                stream = new GZIPInputStream(in, STEP_BYTES);
            } else {
                Inflater own = new Inflater(!hasZlibHeader());
                inflater = Optional.of(own);
                stream = new InflaterInputStream(in, own, STEP_BYTES);
            }
        }

        private boolean hasZlibHeader() throws IOException {
            byte[] first = new Chunks(compressed).readNBytes(2);
            // RFC 1950: method 8, and both bytes together a multiple of 31.
            return first.length == 2
                    && (first[0] & 0x0f) == 8
                    && (((first[0] & 0xff) << 8) | (first[1] & 0xff)) % 31 == 0;
        }

        @Override
        public void close() throws IOException {
            stream.close();
            inflater.ifPresent(Inflater::end);
        }
    }

    /** One chunk after the other, as it is. */
    private static final class Chunks extends InputStream {

        private final Iterator<Buffer> chunks;
        private Buffer current = Buffer.buffer();
        private int at;

        Chunks(List<Buffer> chunks) {
            this.chunks = chunks.iterator();
        }

        @Override
        public int read() {
            return hasMore() ? current.getByte(at++) & 0xff : -1;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            if (length == 0) {
                return 0;
            }
            if (!hasMore()) {
                return -1;
            }
            int bytes = Math.min(length, current.length() - at);
            current.getBytes(at, at + bytes, to, offset);
            at += bytes;
            return bytes;
        }

        private boolean hasMore() {
            while (at == current.length() && chunks.hasNext()) {
                current = chunks.next();
                at = 0;
            }
            return at < current.length();
        }

        @Override
        public int available() {
            return hasMore() ? current.length() - at : 0;
        }
    }
}
