package io.recallgate.gateway.config;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** What one setting's own type cannot tell: rules over several settings. */
final class CrossChecks {

    private CrossChecks() {}

    /** @throws ConfigException naming the setting to change */
    static void check(RecallgateConfig config, SettingValues values) {
        requireKeysBeyondLoopback(config.http());
        if (config.recall().jobBackoffMaxMillis() < config.recall().jobBackoffBaseMillis()) {
            throw SettingValues.invalid(
                    Setting.JOB_BACKOFF_MAX_MS,
                    String.valueOf(config.recall().jobBackoffMaxMillis()),
                    values.get(Setting.JOB_BACKOFF_MAX_MS).source(),
                    "at least " + Setting.JOB_BACKOFF_BASE_MS.environment());
        }
        if (config.database().url().isEmpty()
                && config.database().poolSize() > RecallgateConfig.Database.MAX_EMBEDDED_POOL_SIZE) {
            throw SettingValues.invalid(
                    Setting.DATABASE_POOL_SIZE,
                    String.valueOf(config.database().poolSize()),
                    values.get(Setting.DATABASE_POOL_SIZE).source(),
                    "at most " + RecallgateConfig.Database.MAX_EMBEDDED_POOL_SIZE
                            + " with the embedded PostgreSQL; RECALLGATE_DATABASE_URL names another");
        }
    }

    /** Without keys whoever reaches the port owns the memories, so only this machine may. */
    private static void requireKeysBeyondLoopback(RecallgateConfig.Http http) {
        if (http.apiKeysFile().isEmpty() && !isLoopback(http.host())) {
            throw new ConfigException(Setting.HTTP_HOST.environment() + " is '" + http.host()
                    + "': without " + Setting.API_KEYS_FILE.environment()
                    + " only a loopback address is allowed, such as 127.0.0.1");
        }
    }

    private static boolean isLoopback(String host) {
        try {
            // Every address of the name must be loopback: which one is bound is not ours to say.
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (!address.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException unknown) {
            throw new ConfigException(Setting.HTTP_HOST.environment() + " is '" + host
                    + "': allowed is an address of this machine, and this name is not known");
        }
    }
}
