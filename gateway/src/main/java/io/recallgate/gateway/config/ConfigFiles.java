package io.recallgate.gateway.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The files that a running gateway reads again: its settings and its API keys.
 *
 * @param settings the one holder
 * @param keys empty for a gateway without keys, which stays one until it is started anew
 * @param retention looks at both together
 */
public record ConfigFiles(SettingsHolder settings, Optional<ApiKeysHolder> keys, RetentionOwners retention) {

    /** Whose everything is where there are no keys. */
    private static final Set<String> WITHOUT_KEYS = Set.of("local");

    /**
     * With the keys file that the settings name. Blocks on it.
     *
     * @throws ConfigException one line about what is wrong with it
     */
    public static ConfigFiles of(SettingsHolder settings) {
        ConfigFiles files = new ConfigFiles(
                settings, settings.config().http().apiKeysFile().map(ApiKeysHolder::load), new RetentionOwners());
        files.checkRetention();
        return files;
    }

    /** Looks at each file once, and at settings that were overridden. Blocks on the files: for worker threads. */
    public void reload() {
        settings.reload();
        keys.ifPresent(ApiKeysHolder::reload);
        checkRetention();
    }

    private void checkRetention() {
        Set<String> owners = keys.map(holder -> holder.get().owners()).orElse(WITHOUT_KEYS);
        retention.look(settings.config().retention(), owners);
    }

    /** Which files are not in force as they are now: {@code settings}, {@code api-keys}. The log says why. */
    public List<String> stale() {
        List<String> stale = new ArrayList<>();
        if (settings.trouble().isPresent()) {
            stale.add("settings");
        }
        if (keys.flatMap(ApiKeysHolder::trouble).isPresent()) {
            stale.add("api-keys");
        }
        return stale;
    }
}
