package io.recallgate.recall.lexical;

/**
 * What the words of a turn's neighbours are worth to it, as shares of its own: an answer rarely repeats the question it
 * answers. Measured on conversations (DESIGN-DECISIONS.md): a flat optimum, nearer turns weigh more, and what was said
 * before weighs more than what follows.
 */
final class Window {

    private static final double[] BEFORE = {0.7, 0.5, 0.35};
    private static final double[] AFTER = {0.5, 0.25};

    /** How far neighbours are looked for on each side: as far as any counts for another. */
    static final int REACH = BEFORE.length;

    /** What a whole window weighs: the turn itself and all its neighbours at full strength. */
    private static final double NEIGHBOURS = sum(BEFORE) + sum(AFTER);

    private Window() {}

    /** Weight of the turn that is {@code distance} before, from 1 to {@link #REACH}. */
    static double before(int distance) {
        return BEFORE[distance - 1];
    }

    /** Weight of the turn that is {@code distance} after, from 1 to {@link #REACH}. */
    static double after(int distance) {
        return distance <= AFTER.length ? AFTER[distance - 1] : 0;
    }

    /**
     * How many texts a window is as long as, where neighbours count by {@code strength}. The same for a window that the
     * session's begin or end cuts: it is shorter, and counts as short.
     */
    static double texts(double strength) {
        return 1 + strength * NEIGHBOURS;
    }

    private static double sum(double[] weights) {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        return sum;
    }
}
