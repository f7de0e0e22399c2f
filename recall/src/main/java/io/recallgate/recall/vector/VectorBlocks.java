package io.recallgate.recall.vector;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The vectors of a scope as a scan wants them: in blocks of up to {@link #MAX_LANES} vectors, each block with one array
 * for every dimension. So the sums of all vectors of a block grow side by side, which the JVM makes SIMD instructions
 * of; a sum along one vector it may not reorder, and takes twice as long for. A place that was written is never written
 * again, so that a {@link View} stays as it was while vectors are added and removed beside it. Changed by one thread at a
 * time; views and {@link #similarities} by any.
 */
final class VectorBlocks {

    /** One kilobyte an array: the four that are added at a time and the sums stay in the first cache. */
    static final int MAX_LANES = 256;

    /** A scope of a few vectors takes no more than some tens of kilobytes. */
    private static final int MIN_LANES = 16;

    /** Id, its entry and place in the index, the reference to it. */
    private static final int ROW_BYTES = 128;

    private static final int ARRAY_BYTES = 24;

    private final List<Block> blocks = new ArrayList<>();
    /** Read by other threads than the one that changes it. */
    private final Map<UUID, Place> places = new ConcurrentHashMap<>();

    private int rows;
    private long bytes;

    /** Where a passage of a memory is, and the others. */
    private record Place(Block block, int lane, @Nullable Place next) {}

    /** One block; what was filled stays. */
    private static final class Block {
        private final float[][] columns;
        private final UUID[] ids;
        private int filled;
        private int removed;
        /** A bit for each lane whose vector is removed; a new array for each change, views have the old one. */
        private long[] gone;

        private Block(int dimensions, int lanes) {
            this.columns = new float[dimensions][lanes];
            this.ids = new UUID[lanes];
            this.gone = new long[(lanes + Long.SIZE - 1) / Long.SIZE];
        }

        private boolean isFull() {
            return filled == ids.length;
        }

        private long chargedBytes() {
            return (long) columns.length * (ARRAY_BYTES + (long) Float.BYTES * ids.length)
                    + (long) ROW_BYTES * ids.length;
        }
    }

    /**
     * A block as it was when it was looked at.
     *
     * @param columns by dimension, then by lane; lanes from {@code rows} on may be anything
     * @param ids by lane
     * @param rows lanes that have a vector
     * @param gone a bit for each lane that was removed
     */
    @SuppressWarnings("ArrayRecordComponent") // private to the package, and never changed below the number of rows
    record View(float[][] columns, UUID[] ids, int rows, long[] gone) {
        int dimensions() {
            return columns.length;
        }

        boolean isGone(int lane) {
            return (gone[lane / Long.SIZE] & (1L << lane)) != 0;
        }
    }

    /** What there is now. */
    List<View> views() {
        return blocks.stream()
                .map(block -> new View(block.columns, block.ids, block.filled, block.gone))
                .toList();
    }

    /** How many vectors there are. */
    int rows() {
        return rows;
    }

    /** Bytes they are charged with: whole blocks, and the index of their ids. */
    long chargedBytes() {
        return bytes;
    }

    /**
     * How near each of these memories is by its best passage; those without a vector are left out. The sums are made in
     * the order of a scan, so that they are the same.
     *
     * @throws io.recallgate.failure.FailureException {@code invalid-field} about {@code vector} when dimensions differ
     */
    Map<UUID, Double> similarities(Collection<UUID> memoryIds, float[] query) {
        Map<UUID, Double> similarities = new HashMap<>();
        for (UUID id : memoryIds) {
            for (Place place = places.get(id); place != null; place = place.next()) {
                if (place.block().columns.length != query.length) {
                    throw VectorScan.dimensionMismatch(query.length);
                }
                similarities.merge(id, (double) sum(place.block().columns, place.lane(), query), Math::max);
            }
        }
        return similarities;
    }

    private static float sum(float[][] columns, int lane, float[] query) {
        float sum = 0;
        int i = 0;
        for (; i + 3 < query.length; i += 4) {
            sum += query[i] * columns[i][lane]
                    + query[i + 1] * columns[i + 1][lane]
                    + query[i + 2] * columns[i + 2][lane]
                    + query[i + 3] * columns[i + 3][lane];
        }
        for (; i < query.length; i++) {
            sum += query[i] * columns[i][lane];
        }
        return sum;
    }

    /** Adds a passage of a memory to those it has. */
    void add(UUID memoryId, float[] values) {
        Block block = open(values.length);
        int lane = write(block, memoryId, values);
        rows++;
        places.merge(memoryId, new Place(block, lane, null), (known, added) -> new Place(block, lane, known));
    }

    private static int write(Block block, UUID memoryId, float[] values) {
        int lane = block.filled;
        for (int dimension = 0; dimension < values.length; dimension++) {
            block.columns[dimension][lane] = values[dimension];
        }
        block.ids[lane] = memoryId;
        block.filled++;
        return lane;
    }

    /** Removes all passages of a memory; nothing if it has none. */
    void remove(UUID memoryId) {
        Set<Block> touched = new LinkedHashSet<>();
        for (Place place = places.remove(memoryId); place != null; place = place.next()) {
            removeFrom(place.block(), place.lane());
            touched.add(place.block());
            rows--;
        }
        if (rows == 0) {
            blocks.clear();
            bytes = 0;
            return;
        }
        // Each removal pays for at most one vector that moves, so that there is never a long one.
        for (Block block : touched) {
            if (block != blocks.get(blocks.size() - 1) && block.removed > block.filled / 2) {
                dissolve(block);
            }
        }
    }

    private static void removeFrom(Block block, int lane) {
        block.gone = block.gone.clone();
        block.gone[lane / Long.SIZE] |= 1L << lane;
        block.removed++;
    }

    private Block open(int dimensions) {
        Block last = blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
        if (last != null && !last.isFull() && last.columns.length == dimensions) {
            return last;
        }
        Block opened = new Block(dimensions, Math.max(MIN_LANES, Math.min(MAX_LANES, Integer.highestOneBit(rows + 1))));
        blocks.add(opened);
        bytes += opened.chargedBytes();
        return opened;
    }

    /** Moves what is left of a block to the end. */
    private void dissolve(Block block) {
        blocks.remove(block);
        bytes -= block.chargedBytes();
        for (int lane = 0; lane < block.filled; lane++) {
            if ((block.gone[lane / Long.SIZE] & (1L << lane)) == 0) {
                move(block, lane);
            }
        }
    }

    private void move(Block from, int lane) {
        UUID id = from.ids[lane];
        float[] values = new float[from.columns.length];
        for (int dimension = 0; dimension < values.length; dimension++) {
            values[dimension] = from.columns[dimension][lane];
        }
        Block to = open(values.length);
        int toLane = write(to, id, values);
        // In one step: whoever looks meanwhile finds it in the one place or in the other.
        places.compute(id, (key, known) -> new Place(to, toLane, without(known, from, lane)));
    }

    private static @Nullable Place without(@Nullable Place places, Block block, int lane) {
        if (places == null) {
            return null;
        }
        return places.block() == block && places.lane() == lane
                ? places.next()
                : new Place(places.block(), places.lane(), without(places.next(), block, lane));
    }
}
