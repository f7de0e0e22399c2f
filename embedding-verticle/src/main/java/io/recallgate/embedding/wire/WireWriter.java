package io.recallgate.embedding.wire;

import io.recallgate.embedding.api.EmbeddingVector;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Appends fields to a buffer. See the package for their bytes. */
final class WireWriter {

    private final Buffer buffer;

    WireWriter(Buffer buffer) {
        this.buffer = buffer;
    }

    WireWriter octet(int value) {
        buffer.appendByte((byte) value);
        return this;
    }

    WireWriter flag(boolean value) {
        return octet(value ? 1 : 0);
    }

    WireWriter int32(int value) {
        buffer.appendInt(value);
        return this;
    }

    WireWriter int64(long value) {
        buffer.appendLong(value);
        return this;
    }

    WireWriter float64(double value) {
        buffer.appendDouble(value);
        return this;
    }

    /** @throws IllegalArgumentException for a lone surrogate, which UTF-8 cannot say: a {@code ?} would be another text */
    WireWriter text(String text) {
        ByteBuffer bytes;
        try {
            bytes = StandardCharsets.UTF_8
                    .newEncoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .encode(CharBuffer.wrap(text));
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a text is not valid Unicode", e);
        }
        int32(bytes.remaining());
        buffer.appendBytes(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        return this;
    }

    WireWriter vector(EmbeddingVector vector) {
        int32(vector.dimensions());
        buffer.appendBytes(vector.toLittleEndian());
        return this;
    }

    <T> WireWriter list(List<T> entries, Consumer<T> write) {
        int32(entries.size());
        entries.forEach(write);
        return this;
    }

    <T> WireWriter optional(@Nullable T value, Consumer<T> write) {
        flag(value != null);
        if (value != null) {
            write.accept(value);
        }
        return this;
    }
}
