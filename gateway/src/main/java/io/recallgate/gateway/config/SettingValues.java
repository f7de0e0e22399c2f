package io.recallgate.gateway.config;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A checked value for every setting, with where it comes from. Immutable. */
public final class SettingValues {

    private final Map<Setting, Value> values;

    /**
     * A value.
     *
     * @param text as written, null when unset
     * @param source where it comes from
     */
    public record Value(@Nullable String text, SettingSource source) {}

    private SettingValues(Map<Setting, Value> values) {
        this.values = values;
    }

    /**
     * Lays the sources over each other.
     *
     * @param layers for each source what it sets; {@link SettingSource#DEFAULT} comes from the table
     * @throws ConfigException naming the first value that is not allowed
     */
    static SettingValues of(Map<SettingSource, Map<Setting, String>> layers) {
        Map<Setting, Value> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            Value value = new Value(setting.defaultValue(), SettingSource.DEFAULT);
            for (SettingSource source : SettingSource.values()) {
                String text = layers.getOrDefault(source, Map.of()).get(setting);
                if (text != null) {
                    check(setting, text, source);
                    value = new Value(text, source);
                }
            }
            values.put(setting, value);
        }
        return new SettingValues(values);
    }

    /** @throws ConfigException if {@code text} is not allowed for {@code setting} */
    static void check(Setting setting, String text, SettingSource source) {
        if (!setting.type().accepts(text)) {
            throw invalid(setting, text, source, setting.type().allowed());
        }
    }

    /** The one line for a value that is not allowed. */
    static ConfigException invalid(Setting setting, @Nullable String text, SettingSource source, String allowed) {
        String name = source == SettingSource.FILE
                ? setting.key() + " in the configuration (" + setting.environment() + ")"
                : setting.environment();
        String shown = setting.secret() || text == null ? "" : " is '" + shortened(text) + "'";
        return new ConfigException(name + shown + ": allowed is " + allowed);
    }

    private static String shortened(String text) {
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }

    /** The value of {@code setting}. */
    public Value get(Setting setting) {
        Value value = values.get(setting);
        if (value == null) {
            throw new IllegalStateException("no value for " + setting);
        }
        return value;
    }

    /** The text of a setting that may be unset. */
    public Optional<String> text(Setting setting) {
        return Optional.ofNullable(get(setting).text());
    }

    /** The text of a setting that has a default. */
    public String required(Setting setting) {
        return text(setting).orElseThrow(() -> new IllegalStateException(setting + " has no default"));
    }

    /** The number of a setting that has a default. */
    public long number(Setting setting) {
        return Long.parseLong(required(setting));
    }

    /** The number of a setting that has a default and whose range fits an int. */
    public int whole(Setting setting) {
        return Math.toIntExact(number(setting));
    }
}
