package io.recallgate.gateway.config;

import io.vertx.core.json.JsonObject;

/** The settings holder as {@code /v1/settings} sees it. */
public interface SettingsOperations {

    /**
     * Every setting by name: {@code {"settings":[{"name","value","default","unit","source","live","description"}]}};
     * secrets are shown as set or unset, never their value.
     */
    JsonObject describe();

    /**
     * Overrides live settings until the process ends; null takes an override back. All or nothing.
     *
     * @param changes setting name to value
     * @return {@link #describe()} afterwards
     * @throws io.recallgate.failure.FailureException {@code unknown-field} or {@code invalid-field} naming the setting,
     *     also for one that cannot change live
     */
    JsonObject override(JsonObject changes);
}
