package io.recallgate.gateway.config;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Writes {@code conf/recallgate.yaml} from the table of settings. */
final class SettingsDocument {

    private static final int WIDTH = 120;

    private static final Map<String, String> GROUPS = groups();

    private SettingsDocument() {}

    private static Map<String, String> groups() {
        Map<String, String> groups = new LinkedHashMap<>();
        groups.put("http", "The HTTP server.");
        groups.put("database", "PostgreSQL 15 or newer: the embedded one, or yours.");
        groups.put(
                "embedding", "Who turns text into vectors, and the bounds of the local pool and of a remote provider.");
        groups.put(
                "conversation",
                "Conversations: their providers, and how many at once. Clients send the providers' keys.");
        groups.put("recall", "Recall.");
        groups.put("jobs", "Embedding jobs: what was remembered is embedded in the background.");
        groups.put(
                "probes",
                "Probes: small pieces of real work that show whether embedding, writing and recall do theirs.");
        groups.put("log", "The log, on standard error.");
        return groups;
    }

    static String render() {
        StringBuilder out = new StringBuilder("""
                # Recallgate: every setting, its default, its unit and its reason.
                #
                # What is commented out has its default. The environment wins over this file; the name there stands in brackets.
                # A secret may also come from a file: add -file to its key, or _FILE to its name.
                # Settings marked live take effect when this file changes, and with PATCH /v1/settings until the process ends;
                # the others at the next start. A wrong value, or a name that is not in this list, stops the start.
                """);
        for (Setting setting : Setting.values()) {
            if (!setting.key().contains(".")) {
                out.append('\n');
                append(out, setting, setting.key(), "");
            }
        }
        GROUPS.forEach((group, about) -> {
            out.append("\n# ").append(about).append('\n').append(group).append(":\n");
            for (Setting setting : Setting.values()) {
                if (setting.key().startsWith(group + ".")) {
                    append(out, setting, setting.key().substring(group.length() + 1), "  ");
                }
            }
        });
        return out.toString();
    }

    private static void append(StringBuilder out, Setting setting, String key, String indent) {
        comment(out, indent, setting.description());
        String allowed = "[" + setting.environment() + "] "
                + (setting.unit().isEmpty() ? "" : setting.unit() + "; ")
                + setting.type().allowed()
                + (setting.live() ? "; live" : "")
                + (setting.secret() ? "; secret" : "");
        comment(out, indent, allowed);
        String value = setting.defaultValue();
        out.append(indent).append("# ").append(key).append(':');
        out.append(value == null ? "" : " " + quoted(value)).append('\n');
    }

    /** In lines of at most {@link #WIDTH}. */
    private static void comment(StringBuilder out, String indent, String text) {
        String line = indent + "#";
        for (String word : text.split(" ", -1)) {
            if (line.length() + 1 + word.length() > WIDTH) {
                out.append(line).append('\n');
                line = indent + "#";
            }
            line += " " + word;
        }
        out.append(line).append('\n');
    }

    /** YAML would read a bare none as text too, but words like these change their meaning between versions of YAML. */
    private static String quoted(String value) {
        return java.util.Set.of("yes", "no", "on", "off", "true", "false", "null")
                        .contains(value.toLowerCase(Locale.ROOT))
                ? '"' + value + '"'
                : value;
    }
}
