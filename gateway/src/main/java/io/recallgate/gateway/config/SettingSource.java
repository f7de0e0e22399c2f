package io.recallgate.gateway.config;

import java.util.Locale;

/** Where a value comes from; a later constant wins over an earlier one. */
public enum SettingSource {
    /** The table's own value. */
    DEFAULT,
    /** The configuration file, or the object given by an embedding application. */
    FILE,
    /** An environment variable. */
    ENVIRONMENT,
    /** {@code PATCH /v1/settings}, until the process ends. */
    OVERRIDE;

    /** As {@code GET /v1/settings} shows it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
