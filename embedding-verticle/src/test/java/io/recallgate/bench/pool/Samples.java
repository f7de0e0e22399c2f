package io.recallgate.bench.pool;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;

/** Measured values, and what is said about them. */
final class Samples {

    private double[] values = new double[64];
    private int size;

    void add(double value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    void addAll(Samples others) {
        for (int i = 0; i < others.size; i++) {
            add(others.values[i]);
        }
    }

    /** What was added so far, which begins anew here. */
    Samples takeAll() {
        Samples taken = new Samples();
        taken.addAll(this);
        size = 0;
        return taken;
    }

    /** The ratios of values of the same round: noise that lasts longer than a round is in both. */
    Samples over(Samples others) {
        return pairs(others, (mine, theirs) -> mine / theirs);
    }

    /** The larger value of each round. */
    Samples orBetter(Samples others) {
        return pairs(others, Math::max);
    }

    private Samples pairs(Samples others, DoubleBinaryOperator both) {
        if (others.size != size) {
            throw new IllegalArgumentException(size + " rounds against " + others.size);
        }
        Samples pairs = new Samples();
        for (int i = 0; i < size; i++) {
            pairs.add(both.applyAsDouble(values[i], others.values[i]));
        }
        return pairs;
    }

    int size() {
        return size;
    }

    /**
     * By nearest rank: the smallest value that at least this share of the values does not exceed.
     *
     * @param share above 0, at most 1
     */
    double quantile(double share) {
        if (size == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        double[] sorted = Arrays.copyOf(values, size);
        Arrays.sort(sorted);
        return sorted[Math.max(0, (int) Math.ceil(share * size) - 1)];
    }

    double median() {
        return quantile(0.5);
    }

    double max() {
        return quantile(1);
    }

    /** Change of the value from one sample to the next, by least squares; zero for fewer than two. */
    double slope() {
        if (size < 2) {
            return 0;
        }
        double middle = (size - 1) / 2.0;
        double mean = Arrays.stream(values, 0, size).average().orElse(0);
        double above = 0;
        double below = 0;
        for (int i = 0; i < size; i++) {
            above += (i - middle) * (values[i] - mean);
            below += (i - middle) * (i - middle);
        }
        return above / below;
    }
}
