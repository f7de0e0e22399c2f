package io.recallgate.embedding.model;

import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.model.ModelDescriptor.Pooling;
import java.util.ArrayList;
import java.util.List;

/** Token states to one vector a row. */
final class Pooler {

    private Pooler() {}

    static List<EmbeddingVector> pool(RunBuffers states, List<TokenizedRow> rows, ModelDescriptor descriptor) {
        List<EmbeddingVector> vectors = new ArrayList<>(rows.size());
        for (int row = 0; row < rows.size(); row++) {
            // Padding stands behind the tokens of the row, so the mask is their number.
            int tokens = descriptor.pooling() == Pooling.CLS ? 1 : rows.get(row).tokens();
            double[] sums = new double[descriptor.dimensions()];
            for (int column = 0; column < tokens; column++) {
                states.addStates(row, column, sums);
            }
            vectors.add(EmbeddingVector.of(scaled(sums, tokens, descriptor.normalise())));
        }
        return vectors;
    }

    private static float[] scaled(double[] sums, int tokens, boolean normalise) {
        double divisor = tokens;
        if (normalise) {
            double squares = 0;
            for (double sum : sums) {
                squares += sum * sum;
            }
            divisor = squares == 0 ? 1 : Math.sqrt(squares);
        }
        float[] values = new float[sums.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (sums[i] / divisor);
        }
        return values;
    }
}
