package io.recallgate.recall.store;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Where a page ended: a position, opaque to clients and with a mark that tells ours from anything else. */
final class ListCursor {

    private static final int MARK = 0x52474331;

    private ListCursor() {}

    static String encode(long position) {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                .putInt(MARK)
                .putLong(position)
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /**
     * The position, null for no cursor.
     *
     * @throws FailureException {@code invalid-field}
     */
    static @Nullable Long decode(@Nullable String cursor) {
        if (cursor == null) {
            return null;
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(cursor));
            if (bytes.remaining() == Integer.BYTES + Long.BYTES && bytes.getInt() == MARK) {
                return bytes.getLong();
            }
        } catch (IllegalArgumentException e) {
            throw invalid().causedBy(e);
        }
        throw invalid();
    }

    private static FailureException invalid() {
        return FailureException.ofField(
                FailureCode.INVALID_FIELD, "cursor", "cursor must be the next_cursor of a page, unchanged");
    }
}
