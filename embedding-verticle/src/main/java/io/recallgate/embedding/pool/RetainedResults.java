package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.protocol.RowResult;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Finished and half finished work that nobody waits for, kept for one retry: few, and not for long. */
final class RetainedResults {

    private final PoolLimits.Retention limits;
    /** In the order of keeping, which is the order of expiry. */
    private final Map<OperationKey, Retained> results = new LinkedHashMap<>();

    RetainedResults(PoolLimits.Retention limits) {
        this.limits = limits;
    }

    /** Rows from the first on, and the model that made them. */
    record Retained(ModelIdentity identity, List<RowResult> rows, long expiresAt) {}

    void keep(OperationKey key, ModelIdentity identity, List<RowResult> rows, long now) {
        results.remove(key);
        results.put(key, new Retained(identity, rows, now + limits.resultAge().toNanos()));
        if (results.size() > limits.results()) {
            results.remove(results.keySet().iterator().next());
        }
    }

    /** Looks without using it up. */
    @Nullable
    Retained peek(OperationKey key) {
        return results.get(key);
    }

    /** Uses it up. */
    void use(OperationKey key) {
        results.remove(key);
    }

    void clear() {
        results.clear();
    }

    void expire(long now) {
        results.values().removeIf(retained -> retained.expiresAt() - now <= 0);
    }

    int size() {
        return results.size();
    }

    OptionalLong nextExpiry() {
        Iterator<Retained> first = results.values().iterator();
        return first.hasNext() ? OptionalLong.of(first.next().expiresAt()) : OptionalLong.empty();
    }
}
