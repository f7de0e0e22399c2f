package io.recallgate.gateway.http.access;

import java.util.Optional;

/** The configured keys. Implementations are thread-safe and compare in time that does not depend on the key. */
public interface KeyRing {

    /** No keys at all: every caller is {@link Principal#LOCAL}. Allowed on loopback addresses only. */
    KeyRing OPEN = new KeyRing() {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public Optional<Principal> find(String key) {
            return Optional.of(Principal.LOCAL);
        }
    };

    /** Whether no keys are configured, so that none is asked for. */
    boolean isOpen();

    /**
     * Whose key this is.
     *
     * @param key as the caller sent it, 1 to 4,096 characters
     */
    Optional<Principal> find(String key);
}
