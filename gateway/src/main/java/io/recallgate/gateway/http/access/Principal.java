package io.recallgate.gateway.http.access;

import io.recallgate.recall.api.Scope;
import java.util.Set;

/**
 * Who calls.
 *
 * @param owner whose memories, 1 to 200 characters
 * @param rights what the key may do
 */
public record Principal(String owner, Set<Right> rights) {

    /** The caller of a gateway without keys, which serves loopback only. */
    public static final Principal LOCAL =
            new Principal(Scope.LOCAL_OWNER, Set.of(Right.READ, Right.WRITE, Right.ADMIN));

    /** Copies the rights. */
    public Principal {
        rights = Set.copyOf(rights);
    }

    /** Whether the key has this right. */
    public boolean may(Right right) {
        return rights.contains(right);
    }
}
