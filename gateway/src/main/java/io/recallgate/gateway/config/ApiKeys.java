package io.recallgate.gateway.config;

import io.recallgate.digest.Sha256;
import io.recallgate.recall.api.Scope;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * The API keys of a gateway, as hashes: the file tells nobody a key. Immutable and safe on any thread.
 *
 * <pre>
 * keys:
 *   - sha256: 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b   # printf %s KEY | sha256sum
 *     owner: alice
 *     projects: [atlas, ""]     # optional; all when absent; "" is the default project
 *     rights: [read, write]     # read, write, admin
 * </pre>
 */
public final class ApiKeys {

    /** More keys than a gateway of this kind has owners; the check walks all of them. */
    private static final int MAX_KEYS = 10_000;

    /** So many keys with an owner and a few projects each. */
    static final int MAX_BYTES = 4 << 20;

    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");
    private static final Set<String> FIELDS = Set.of("sha256", "owner", "projects", "rights");

    private final List<Entry> entries;

    /** What a key may do. */
    public enum Right {
        /** Recall, list, embed. */
        READ,
        /** Remember, change, delete. */
        WRITE,
        /** Settings, restarts, retries. */
        ADMIN
    }

    /**
     * Whom a key speaks for.
     *
     * @param owner 1 to 200 characters
     * @param projects the only ones allowed; null for all
     * @param rights at least one
     */
    public record Principal(String owner, @Nullable Set<String> projects, Set<Right> rights) {
        /** Copies the sets. */
        public Principal {
            projects = projects == null ? null : Set.copyOf(projects);
            rights = Set.copyOf(rights);
        }

        /** Whether {@code project} may be used. */
        public boolean mayUse(String project) {
            return projects == null || projects.contains(project);
        }

        /** Whether the key has {@code right}. */
        public boolean has(Right right) {
            return rights.contains(right);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // private, never compared with equals
    private record Entry(byte[] hash, Principal principal) {}

    private ApiKeys(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /** All owners that have a key. */
    public Set<String> owners() {
        return entries.stream().map(entry -> entry.principal().owner()).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Reads a keys file. Blocks on it.
     *
     * @throws ConfigException one line; it never shows what stands where a hash should, for it may be a key
     */
    public static ApiKeys load(Path file) {
        return parse(file, WatchedFile.read(file, MAX_BYTES));
    }

    /** As {@link #load}, of what was read from {@code file}. */
    static ApiKeys parse(Path file, WatchedFile.Content content) {
        if (content.trouble() != null) {
            throw wrong(file, content.trouble() + "; allowed is a file of hashed keys");
        }
        Object root;
        try {
            LoaderOptions options = new LoaderOptions();
            options.setAllowDuplicateKeys(false);
            options.setCodePointLimit(MAX_BYTES);
            root = new Yaml(new SafeConstructor(options)).load(content.text());
        } catch (YAMLException | IllegalArgumentException invalid) {
            // The second is for numbers: "._" has the form of one.
            throw wrong(file, "is not valid YAML");
        }
        if (!(root instanceof Map<?, ?> map) || !(map.get("keys") instanceof List<?> list) || map.size() != 1) {
            throw wrong(file, "must have one list named keys");
        }
        if (list.isEmpty() || list.size() > MAX_KEYS) {
            throw wrong(file, "must have 1 to " + MAX_KEYS + " keys");
        }
        List<Entry> entries = new ArrayList<>();
        Map<String, Integer> first = new HashMap<>();
        for (int i = 0; i < list.size(); i++) {
            Entry entry = entry(file, i, list.get(i));
            Integer before = first.putIfAbsent(HexFormat.of().formatHex(entry.hash()), i);
            if (before != null) {
                // Which of the two would count is nothing to guess about.
                throw wrong(file, "keys[" + i + "].sha256 is that of keys[" + before + "]; a key has one entry");
            }
            entries.add(entry);
        }
        return new ApiKeys(entries);
    }

    /**
     * Who presents {@code key}. Compares hashes in constant time and walks all of them, so that the time tells nothing.
     *
     * @return empty for a key that is not known
     */
    public Optional<Principal> check(String key) {
        byte[] hash = Sha256.of(key);
        Principal found = null;
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.hash(), hash)) {
                found = entry.principal();
            }
        }
        return Optional.ofNullable(found);
    }

    /** Number of keys. */
    public int size() {
        return entries.size();
    }

    private static Entry entry(Path file, int index, @Nullable Object item) {
        String where = "keys[" + index + "]";
        if (!(item instanceof Map<?, ?> map)) {
            throw wrong(file, where + " must have sha256, owner and rights");
        }
        for (Object field : map.keySet()) {
            if (!FIELDS.contains(String.valueOf(field))) {
                throw wrong(file, where + " has an unknown field; known are owner, projects, rights, sha256");
            }
        }
        String hash = String.valueOf(map.get("sha256")).toLowerCase(Locale.ROOT);
        if (!SHA_256.matcher(hash).matches()) {
            throw wrong(file, where + ".sha256 must be the SHA-256 of the key as 64 hexadecimal digits");
        }
        if (!(map.get("owner") instanceof String owner) || owner.isBlank() || owner.length() > 200) {
            throw wrong(file, where + ".owner must be a text of 1 to 200 characters");
        }
        if (owner.equals(Scope.PROBE_OWNER)) {
            throw wrong(file, where + ".owner must be another one: " + Scope.PROBE_OWNER + " is the gateway's own");
        }
        return new Entry(
                HexFormat.of().parseHex(hash),
                new Principal(
                        owner, projects(file, where, map.get("projects")), rights(file, where, map.get("rights"))));
    }

    private static @Nullable Set<String> projects(Path file, String where, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (!(value instanceof List<?> list) || !list.stream().allMatch(String.class::isInstance)) {
            throw wrong(file, where + ".projects must be a list of texts");
        }
        return list.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet());
    }

    private static Set<Right> rights(Path file, String where, @Nullable Object value) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        if (value instanceof List<?> list) {
            for (Object name : list) {
                rights.add(right(file, where, name));
            }
        }
        if (rights.isEmpty()) {
            throw wrong(file, where + ".rights must be a list of read, write, admin");
        }
        return rights;
    }

    private static Right right(Path file, String where, @Nullable Object name) {
        for (Right right : Right.values()) {
            if (right.name().toLowerCase(Locale.ROOT).equals(name)) {
                return right;
            }
        }
        throw wrong(file, where + ".rights must be a list of read, write, admin");
    }

    private static ConfigException wrong(Path file, String what) {
        return new ConfigException(Setting.API_KEYS_FILE.environment() + " is '" + file + "': the file " + what);
    }
}
