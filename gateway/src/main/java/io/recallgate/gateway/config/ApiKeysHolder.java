package io.recallgate.gateway.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The API keys of a running gateway. {@link #get()} is a volatile read on any thread, so that every event loop sees a
 * change at its next request. A changed file is taken as a whole or not at all: one that is damaged or gone leaves the
 * last good keys, is told once in the log, and is {@link #trouble()} until it is mended.
 */
public final class ApiKeysHolder implements Supplier<ApiKeys> {

    private static final Logger LOG = LoggerFactory.getLogger(ApiKeysHolder.class);

    private final Path file;
    private final WatchedFile watched;
    private volatile ApiKeys keys;
    private volatile @Nullable String trouble;

    private ApiKeysHolder(Path file, WatchedFile watched, ApiKeys keys) {
        this.file = file;
        this.watched = watched;
        this.keys = keys;
    }

    /**
     * Reads a keys file. Blocks on it.
     *
     * @throws ConfigException as {@link ApiKeys#load}
     */
    public static ApiKeysHolder load(Path file) {
        WatchedFile.Content content = WatchedFile.read(file, ApiKeys.MAX_BYTES);
        return new ApiKeysHolder(
                file, WatchedFile.from(file, ApiKeys.MAX_BYTES, content), ApiKeys.parse(file, content));
    }

    /** The keys now; to be asked on each request. */
    @Override
    public ApiKeys get() {
        return keys;
    }

    /**
     * Looks at the file, and takes it if it changed and stands still. Blocks on it: for worker threads.
     *
     * @return whether other keys are in force now
     */
    public synchronized boolean reload() {
        Optional<WatchedFile.Content> changed = watched.look();
        if (changed.isEmpty()) {
            return false;
        }
        try {
            keys = ApiKeys.parse(file, changed.get());
            trouble = null;
            LOG.info("the API keys were read again: {} keys", keys.size());
            return true;
        } catch (ConfigException wrong) {
            trouble = wrong.line();
            LOG.warn("the changed API keys are not used, the {} keys of before stay: {}", keys.size(), wrong.line());
            return false;
        }
    }

    /** Why the file as it is now is not in force, one line without any key; empty when it is. */
    public Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }
}
