package io.recallgate.embedding.model;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.util.List;

/**
 * A session's input and output memory, outside the heap and used again for each run, so that the runtime wraps it
 * instead of copying. Grows to the largest run, whose tokens the pool bounds. Owned by the worker's thread.
 */
final class RunBuffers {

    private final int dimensions;
    private final float[] token;
    private int rows;
    private int width;
    private LongBuffer ids = longs(0);
    private LongBuffer mask = longs(0);
    private LongBuffer types = longs(0);
    private FloatBuffer states = floats(0);

    RunBuffers(int dimensions) {
        this.dimensions = dimensions;
        this.token = new float[dimensions];
    }

    /** Writes the rows, padded to the longest; token types are all zero, as for single texts. */
    void fill(List<TokenizedRow> batch) {
        rows = batch.size();
        width = batch.stream().mapToInt(TokenizedRow::tokens).max().orElse(0);
        int cells = rows * width;
        if (ids.capacity() < cells) {
            ids = longs(cells);
            mask = longs(cells);
            types = longs(cells);
            states = floats(cells * dimensions);
        }
        for (int row = 0; row < rows; row++) {
            TokenizedRow tokens = batch.get(row);
            for (int column = 0; column < width; column++) {
                boolean real = column < tokens.tokens();
                ids.put(row * width + column, real ? tokens.id(column) : 0);
                mask.put(row * width + column, real ? 1 : 0);
            }
        }
    }

    /** Direct memory that the largest run so far has made it hold. */
    long bytes() {
        return (long) (ids.capacity() + mask.capacity() + types.capacity()) * Long.BYTES
                + (long) states.capacity() * Float.BYTES;
    }

    long[] shape() {
        return new long[] {rows, width};
    }

    long[] stateShape() {
        return new long[] {rows, width, dimensions};
    }

    LongBuffer ids() {
        return ids.slice(0, rows * width);
    }

    LongBuffer mask() {
        return mask.slice(0, rows * width);
    }

    LongBuffer types() {
        return types.slice(0, rows * width);
    }

    FloatBuffer states() {
        return states.slice(0, rows * width * dimensions);
    }

    /** Adds the states of one token after a run to {@code sums}, dimension by dimension. */
    void addStates(int row, int column, double[] sums) {
        // In one copy: each read of the buffer is checked, and there are a hundred thousand of them in a long row.
        states.get((row * width + column) * dimensions, token);
        for (int dimension = 0; dimension < dimensions; dimension++) {
            sums[dimension] += token[dimension];
        }
    }

    private static LongBuffer longs(int count) {
        return ByteBuffer.allocateDirect(count * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .asLongBuffer();
    }

    private static FloatBuffer floats(int count) {
        return ByteBuffer.allocateDirect(count * Float.BYTES)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
    }
}
