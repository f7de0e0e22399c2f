package io.recallgate.embedding.api;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * One embedding: float32 values of unit length unless a caller cut it. Immutable, so it can be shared by all waiters of
 * an operation (CONTRACTS A13).
 */
public final class EmbeddingVector {

    private final float[] values;

    private EmbeddingVector(float[] values) {
        this.values = values;
    }

    /** Copies {@code values}. */
    public static EmbeddingVector of(float... values) {
        return new EmbeddingVector(values.clone());
    }

    /**
     * Reads little-endian float32, the form in which vectors are stored and sent.
     *
     * @throws IllegalArgumentException if the length is no multiple of four
     */
    public static EmbeddingVector ofLittleEndian(byte[] bytes) {
        if (bytes.length % Float.BYTES != 0) {
            throw new IllegalArgumentException("not float32: " + bytes.length + " bytes");
        }
        float[] values = new float[bytes.length / Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return new EmbeddingVector(values);
    }

    /** Number of dimensions. */
    public int dimensions() {
        return values.length;
    }

    /** The value at {@code index}, from zero. */
    public float get(int index) {
        return values[index];
    }

    /** A copy of the values. */
    public float[] toArray() {
        return values.clone();
    }

    /** The values as little-endian float32. */
    public byte[] toLittleEndian() {
        ByteBuffer buffer = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        buffer.asFloatBuffer().put(values);
        return buffer.array();
    }

    /**
     * Inner product, which is the cosine for vectors of unit length.
     *
     * @throws IllegalArgumentException if the dimensions differ
     */
    public double dot(EmbeddingVector other) {
        if (other.values.length != values.length) {
            throw new IllegalArgumentException("dimensions differ: " + values.length + " and " + other.values.length);
        }
        double sum = 0;
        for (int i = 0; i < values.length; i++) {
            sum += (double) values[i] * other.values[i];
        }
        return sum;
    }

    /**
     * The first {@code dimensions} values, scaled to unit length again, as the OpenAI {@code dimensions} parameter
     * means it.
     *
     * @param dimensions 1 to {@link #dimensions()}
     */
    public EmbeddingVector truncated(int dimensions) {
        if (dimensions < 1 || dimensions > values.length) {
            throw new IllegalArgumentException("dimensions out of 1.." + values.length + ": " + dimensions);
        }
        float[] cut = Arrays.copyOf(values, dimensions);
        double sum = 0;
        for (float value : cut) {
            sum += (double) value * value;
        }
        float scale = sum == 0 ? 0 : (float) (1 / Math.sqrt(sum));
        for (int i = 0; i < cut.length; i++) {
            cut[i] *= scale;
        }
        return new EmbeddingVector(cut);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EmbeddingVector vector && Arrays.equals(values, vector.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return "EmbeddingVector[" + values.length + "]";
    }
}
