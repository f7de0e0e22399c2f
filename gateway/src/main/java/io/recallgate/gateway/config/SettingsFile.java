package io.recallgate.gateway.config;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Reads settings from a YAML file, or from an object of the same shape. Blocks on the file. */
final class SettingsFile {

    /** A configuration is a few kilobytes; more is another file by mistake. */
    static final int MAX_BYTES = 1 << 20;

    private SettingsFile() {}

    /** @throws ConfigException if the file cannot be read, is no YAML, or has a key that no setting has */
    static Map<Setting, String> read(Path file) {
        return of(file, WatchedFile.read(file, MAX_BYTES));
    }

    /** As {@link #read}, of what was read from {@code file}. */
    static Map<Setting, String> of(Path file, WatchedFile.Content content) {
        return flatten(parse(file, content.textOr(file + ": ")), file.toString());
    }

    private static @Nullable Object parse(Path file, String text) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        try {
            return new Yaml(new SafeConstructor(options)).load(text);
        } catch (MarkedYAMLException invalid) {
            int line = invalid.getProblemMark() == null
                    ? 0
                    : invalid.getProblemMark().getLine() + 1;
            throw new ConfigException(file + ": line " + line + ": not valid YAML: " + invalid.getProblem());
        } catch (YAMLException | IllegalArgumentException invalid) {
            // The second is for numbers: "._" has the form of one.
            throw new ConfigException(file + ": not valid YAML");
        }
    }

    /** @throws ConfigException for a key that no setting has */
    static Map<Setting, String> of(JsonObject object) {
        return flatten(object.getMap(), "the configuration object");
    }

    private static Map<Setting, String> flatten(@Nullable Object root, String where) {
        Map<Setting, String> found = new EnumMap<>(Setting.class);
        if (root != null) {
            if (!(root instanceof Map<?, ?> map)) {
                throw new ConfigException(where + ": must be a map of settings");
            }
            flatten(map, "", where, found);
        }
        return found;
    }

    private static void flatten(Map<?, ?> map, String prefix, String where, Map<Setting, String> found) {
        map.forEach((name, value) -> {
            String key = prefix + name;
            if (value instanceof Map<?, ?> nested) {
                requireGroup(key, where);
                flatten(nested, key + ".", where, found);
            } else if (value instanceof JsonObject nested) {
                requireGroup(key, where);
                flatten(nested.getMap(), key + ".", where, found);
            } else if (value == null) {
                requireKnown(key, where);
            } else {
                put(key, value, where, found);
            }
        });
    }

    /** A group of nothing, or a setting left empty, sets nothing; but its name must be right. */
    private static void requireKnown(String key, String where) {
        if (secretOfFileKey(key) == null && !isSetting(key)) {
            requireGroup(key, where);
        }
    }

    private static void requireGroup(String key, String where) {
        for (Setting setting : Setting.values()) {
            if (setting.key().startsWith(key + ".")) {
                return;
            }
        }
        if (isSetting(key)) {
            throw notSingle(key, where);
        }
        throw unknown(key, where);
    }

    private static ConfigException notSingle(String key, String where) {
        return new ConfigException(where + ": " + key + " must be a single value");
    }

    private static void put(String key, Object value, String where, Map<Setting, String> found) {
        if (!(value instanceof String || value instanceof Number || value instanceof Boolean)) {
            throw notSingle(key, where);
        }
        String text = value.toString();
        Setting secret = secretOfFileKey(key);
        if (secret != null) {
            text = readSecret(key, text);
        }
        Setting setting =
                secret != null ? secret : isSetting(key) ? Setting.named(key).orElseThrow() : null;
        if (setting == null) {
            throw unknown(key, where);
        }
        if (found.put(setting, text) != null) {
            throw new ConfigException(where + ": " + setting.key() + " and " + setting.key() + "-file are both set");
        }
    }

    private static boolean isSetting(String key) {
        return Setting.named(key).filter(setting -> setting.key().equals(key)).isPresent();
    }

    private static @Nullable Setting secretOfFileKey(String key) {
        return key.endsWith("-file")
                ? Setting.named(key.substring(0, key.length() - "-file".length()))
                        .filter(Setting::secret)
                        .orElse(null)
                : null;
    }

    private static ConfigException unknown(String key, String where) {
        List<String> keys = Arrays.stream(Setting.values()).map(Setting::key).toList();
        String instead = Nearest.of(key, keys, 0)
                .map(near -> "did you mean '" + near + "'?")
                .orElse("conf/recallgate.yaml lists all");
        return new ConfigException(where + ": unknown setting '" + key + "'; " + instead);
    }

    /**
     * The secret in a file, without the line break that editors put at its end.
     *
     * @param name the variable or key that points to the file
     */
    static String readSecret(String name, String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException | java.nio.file.InvalidPathException unreadable) {
            throw new ConfigException(name + " is '" + file + "': allowed is a file that can be read");
        }
    }
}
