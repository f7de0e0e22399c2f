package io.recallgate.gateway.config;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the table of settings tells of each. */
public interface SettingTable {

    /**
     * A line of the table.
     *
     * @param environment the name in the environment
     * @param key the key in the file
     * @param type what is allowed
     * @param defaultValue null for none
     * @param unit empty for none
     * @param description for people
     * @param traits what else is to be known
     */
    record Entry(
            String environment,
            String key,
            SettingType type,
            @Nullable String defaultValue,
            String unit,
            String description,
            Set<Setting.Trait> traits) {}

    /** Its line. */
    Entry entry();

    /** The name in the environment and in {@code /v1/settings}. */
    default String environment() {
        return entry().environment();
    }

    /** The key in the file, dots between levels. */
    default String key() {
        return entry().key();
    }

    /** What is allowed. */
    default SettingType type() {
        return entry().type();
    }

    /** The default, null for a setting that is unset unless given. */
    default @Nullable String defaultValue() {
        return entry().defaultValue();
    }

    /** The unit, empty for none. */
    default String unit() {
        return entry().unit();
    }

    /** What it does and why the default is what it is; one or two sentences. */
    default String description() {
        return entry().description();
    }

    /** Whether it can change while the gateway runs. */
    default boolean live() {
        return entry().traits().contains(Setting.Trait.LIVE);
    }

    /** Whether its value is never shown. */
    default boolean secret() {
        return entry().traits().contains(Setting.Trait.SECRET);
    }
}
