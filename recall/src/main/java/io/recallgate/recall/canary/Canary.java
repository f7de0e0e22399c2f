package io.recallgate.recall.canary;

import io.recallgate.digest.Sha256;
import io.recallgate.recall.api.Scope;
import java.util.UUID;

/**
 * A row that a probe owns.
 *
 * @param id of the row
 * @param project of {@link Scope#PROBE_OWNER}: one for each probe
 * @param content a short text of ours
 */
public record Canary(UUID id, String project, String content) {

    /** Whose it is. */
    public Scope scope() {
        return new Scope(Scope.PROBE_OWNER, project);
    }

    /** Hex SHA-256 of the content. */
    String contentHash() {
        return Sha256.hex(content);
    }
}
