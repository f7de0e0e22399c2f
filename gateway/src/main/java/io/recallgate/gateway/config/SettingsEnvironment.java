package io.recallgate.gateway.config;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads settings from environment variables. */
final class SettingsEnvironment {

    private static final String PREFIX = "RECALLGATE_";
    private static final String FILE_SUFFIX = "_FILE";

    /**
     * Variables of the start script, the command-line client, the Compose stack and the suites of tests: ours, but no
     * settings of the gateway. Whoever exports them for those must be able to start it all the same.
     */
    private static final Set<String> NOT_SETTINGS = Set.of(
            "RECALLGATE_CONFIG",
            "RECALLGATE_HOME",
            "RECALLGATE_JAR",
            "RECALLGATE_JAVA_OPTS",
            "RECALLGATE_URL",
            "RECALLGATE_KEY",
            "RECALLGATE_PROJECT",
            "RECALLGATE_VERSION",
            "RECALLGATE_PROMETHEUS_PORT",
            "RECALLGATE_GRAFANA_PORT",
            "RECALLGATE_JRE_IMAGE",
            "RECALLGATE_DATABASE_PASSWORD",
            "RECALLGATE_LIFECYCLE_PORT",
            "RECALLGATE_EVAL_DIR");

    /** What Kubernetes sets for a service named recallgate, and what the tests read. */
    private static final Pattern FOREIGN = Pattern.compile("RECALLGATE_(SERVICE_.*|PORT|PORT_\\d+_.*|TEST_.*)");

    private SettingsEnvironment() {}

    /**
     * What the environment sets. An empty variable counts as unset, as Compose passes on unset ones.
     *
     * @throws ConfigException for a variable with our prefix that no setting has
     */
    static Map<Setting, String> of(Map<String, String> environment) {
        Map<Setting, String> found = new EnumMap<>(Setting.class);
        // Sorted, so that of several wrong ones the same is named each time.
        new TreeMap<>(environment).forEach((name, value) -> {
            if (!value.isEmpty()) {
                put(name, value, found);
            }
        });
        return found;
    }

    private static void put(String name, String value, Map<Setting, String> found) {
        var setting = Setting.named(name).filter(known -> known.environment().equals(name));
        if (setting.isPresent()) {
            putOnce(setting.get(), value, found);
            return;
        }
        if (name.endsWith(FILE_SUFFIX)) {
            String base = name.substring(0, name.length() - FILE_SUFFIX.length());
            var secret = Setting.named(base).filter(Setting::secret);
            if (secret.isPresent()) {
                putOnce(secret.get(), SettingsFile.readSecret(name, value), found);
                return;
            }
        }
        if (name.startsWith(PREFIX)
                && !NOT_SETTINGS.contains(name)
                && !FOREIGN.matcher(name).matches()) {
            throw new ConfigException(name + " is not a setting; " + instead(name));
        }
    }

    private static String instead(String name) {
        List<String> names =
                Arrays.stream(Setting.values()).map(Setting::environment).toList();
        return Nearest.of(name, names, PREFIX.length())
                .map(near -> "did you mean " + near + "?")
                .orElse("conf/recallgate.yaml lists all");
    }

    private static void putOnce(Setting setting, String value, Map<Setting, String> found) {
        if (found.put(setting, value) != null) {
            throw new ConfigException(setting.environment() + " and " + setting.environment()
                    + "_FILE are both set: allowed is one of them");
        }
    }
}
