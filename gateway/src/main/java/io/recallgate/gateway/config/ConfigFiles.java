package io.recallgate.gateway.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The files that a running gateway reads again: its settings and its API keys.
 *
 * @param settings the one holder
 * @param keys empty for a gateway without keys, which stays one until it is started anew
 */
public record ConfigFiles(SettingsHolder settings, Optional<ApiKeysHolder> keys) {

    /**
     * With the keys file that the settings name. Blocks on it.
     *
     * @throws ConfigException one line about what is wrong with it
     */
    public static ConfigFiles of(SettingsHolder settings) {
        return new ConfigFiles(settings, settings.config().http().apiKeysFile().map(ApiKeysHolder::load));
    }

    /** Looks at each file once. Blocks on them: for worker threads. */
    public void reload() {
        settings.reload();
        keys.ifPresent(ApiKeysHolder::reload);
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
