package io.recallgate.embedding.pool;

import io.recallgate.digest.Sha256;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * What makes work the same work: equal keys are one operation.
 *
 * @param model the configured model
 * @param inputType which prefix the rows get
 * @param digest hex SHA-256 over the rows, each framed by its kind and length so that no two lists collide
 */
public record OperationKey(String model, InputType inputType, String digest) {

    /**
     * The digest of these rows: hex SHA-256, since a collision would give one caller the vectors of another's text.
     * Takes some milliseconds for a megabyte. Any thread.
     */
    public static String digest(List<EmbedInput> inputs) {
        MessageDigest digest = Sha256.digest();
        for (EmbedInput input : inputs) {
            byte[] bytes;
            byte kind;
            if (input instanceof EmbedInput.Text text) {
                kind = 'T';
                bytes = text.text().getBytes(StandardCharsets.UTF_8);
            } else {
                kind = 'I';
                int[] ids = ((EmbedInput.Tokens) input).ids();
                ByteBuffer buffer = ByteBuffer.allocate(Integer.BYTES * ids.length);
                buffer.asIntBuffer().put(ids);
                bytes = buffer.array();
            }
            digest.update(kind);
            digest.update(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
            digest.update(bytes);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    OperationKey withModel(String other) {
        return new OperationKey(other, inputType, digest);
    }
}
