package io.recallgate.gateway.config;

import io.recallgate.recall.api.RetentionPolicy;
import io.recallgate.recall.api.Scope;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of owners that retention has a rule for and that nobody is: a slip of the pen keeps for ever what should go, or
 * removes what should stay, and nothing else would show it. Memories of an owner whose last key is gone are still there,
 * and the rule still counts for them, so it is a warning and no error. Thread-safe.
 */
public final class RetentionOwners {

    private static final Logger LOG = LoggerFactory.getLogger(RetentionOwners.class);

    private Set<String> warned = Set.of();

    /**
     * Looks, and warns of what it has not warned of the last time.
     *
     * @param owners all that can be
     */
    synchronized void look(RetentionPolicy policy, Set<String> owners) {
        Set<String> unknown = new TreeSet<>();
        for (Scope scope : policy.overrides().keySet()) {
            if (!owners.contains(scope.owner())) {
                unknown.add(scope.owner());
            }
        }
        if (!unknown.isEmpty() && !unknown.equals(warned)) {
            LOG.warn(
                    "{} has a rule for {}, but no key has {} as its owner: check the spelling",
                    Setting.RETENTION_OVERRIDES.environment(),
                    String.join(", ", unknown),
                    unknown.size() == 1 ? "it" : "any of them");
        }
        warned = unknown;
    }
}
