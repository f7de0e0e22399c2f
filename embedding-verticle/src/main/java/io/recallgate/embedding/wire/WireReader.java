package io.recallgate.embedding.wire;

import io.recallgate.embedding.api.EmbeddingVector;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Takes fields from a part of a buffer. Nothing is allocated for more than that part can hold, whatever a count or a
 * length claims. Each method takes the field's name for the error.
 */
final class WireReader {

    private final Buffer buffer;
    private final int end;
    private int position;

    /** @param end where the part ends, within the buffer */
    WireReader(Buffer buffer, int position, int end) {
        this.buffer = buffer;
        this.position = position;
        this.end = end;
    }

    int octet(String field) {
        return buffer.getByte(take(field, Byte.BYTES)) & 0xff;
    }

    boolean flag(String field) {
        int value = octet(field);
        if (value > 1) {
            throw wrong(field, "is neither 0 nor 1");
        }
        return value == 1;
    }

    int int32(String field) {
        return buffer.getInt(take(field, Integer.BYTES));
    }

    long int64(String field) {
        return buffer.getLong(take(field, Long.BYTES));
    }

    double float64(String field) {
        return buffer.getDouble(take(field, Double.BYTES));
    }

    /** A number of which negative ones make no sense. */
    int natural(String field) {
        int value = int32(field);
        if (value < 0) {
            throw wrong(field, "is negative");
        }
        return value;
    }

    String text(String field) {
        byte[] bytes = bytes(field, natural(field));
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new WireFormatException(field + " is not UTF-8", e);
        }
    }

    EmbeddingVector vector(String field) {
        int dimensions = count(field, 0, Float.BYTES);
        return EmbeddingVector.ofLittleEndian(bytes(field, dimensions * Float.BYTES));
    }

    int[] ints(String field) {
        int[] values = new int[count(field, 0, Integer.BYTES)];
        for (int i = 0; i < values.length; i++) {
            values[i] = int32(field);
        }
        return values;
    }

    /**
     * @param least entries at least
     * @param entryBytes what one entry takes at least, so that a count beyond what is there is seen at once
     */
    <T> List<T> list(String field, int least, int entryBytes, Supplier<T> read) {
        int count = count(field, least, entryBytes);
        List<T> entries = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            entries.add(read.get());
        }
        return entries;
    }

    <E extends Enum<E>> E constant(String field, E[] constants, ToIntFunction<E> number) {
        int wanted = octet(field);
        for (E constant : constants) {
            if (number.applyAsInt(constant) == wanted) {
                return constant;
            }
        }
        throw wrong(field, "has the unknown number " + wanted);
    }

    <T> @Nullable T optional(String field, Supplier<T> read) {
        return flag(field) ? read.get() : null;
    }

    /** Nothing may be left. */
    void finish() {
        if (position != end) {
            throw new WireFormatException((end - position) + " bytes are left behind the last field");
        }
    }

    private int count(String field, int least, int entryBytes) {
        int count = natural(field);
        if (count < least) {
            throw wrong(field, "has less than " + least + " entries");
        }
        if (count > (end - position) / entryBytes) {
            throw wrong(field, "has more entries than bytes are left");
        }
        return count;
    }

    private byte[] bytes(String field, int length) {
        int from = take(field, length);
        return buffer.getBytes(from, from + length);
    }

    private int take(String field, int length) {
        if (length > end - position) {
            throw wrong(field, "is cut off");
        }
        int from = position;
        position += length;
        return from;
    }

    private static WireFormatException wrong(String field, String what) {
        return new WireFormatException(field + " " + what);
    }
}
