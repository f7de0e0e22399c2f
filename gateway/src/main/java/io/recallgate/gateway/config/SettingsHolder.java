package io.recallgate.gateway.config;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.RecallSettings;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one holder of settings (ARCHITECTURE 6.11). Reading is a volatile read and may happen on any thread, on each
 * call. Run-time overrides win over the environment, that over the file, that over the default. The file is read again
 * by {@link #reload()} when it changed; a file that became wrong is reported and the last good one stays.
 */
public final class SettingsHolder implements SettingsOperations {

    private static final Logger LOG = LoggerFactory.getLogger(SettingsHolder.class);

    private final Map<Setting, String> environment;
    private final @Nullable Path file;
    private final SettingValues atStart;

    private Map<Setting, String> fromFile;
    private Map<Setting, String> overrides = Map.of();
    private final @Nullable WatchedFile watched;

    private volatile @Nullable String trouble;
    private volatile Snapshot snapshot;

    private record Snapshot(SettingValues values, RecallgateConfig config) {}

    private SettingsHolder(
            Map<Setting, String> environment,
            Map<Setting, String> fromFile,
            @Nullable Path file,
            @Nullable WatchedFile watched) {
        this.environment = environment;
        this.fromFile = fromFile;
        this.file = file;
        this.watched = watched;
        this.snapshot = evaluate(environment, fromFile, Map.of());
        this.atStart = snapshot.values();
    }

    /** As {@link RecallgateConfig#load}. */
    public static SettingsHolder load(Map<String, String> environment, Optional<Path> file) {
        Path path = file.orElse(null);
        if (path == null) {
            return new SettingsHolder(SettingsEnvironment.of(environment), Map.of(), null, null);
        }
        WatchedFile.Content content = WatchedFile.read(path, SettingsFile.MAX_BYTES);
        return new SettingsHolder(
                SettingsEnvironment.of(environment),
                SettingsFile.of(path, content),
                path,
                WatchedFile.from(path, SettingsFile.MAX_BYTES, content));
    }

    /** As {@link RecallgateConfig#of(JsonObject)}. */
    public static SettingsHolder of(JsonObject object) {
        return new SettingsHolder(Map.of(), SettingsFile.of(object), null, null);
    }

    /** The configuration now. Parts that cannot change live are those of the start. */
    public RecallgateConfig config() {
        return snapshot.config();
    }

    /** Recall's live settings, for components that read them on each call. */
    public Supplier<RecallSettings> recallSettings() {
        return () -> snapshot.config().recall();
    }

    /**
     * Looks at the file, and takes it if it changed and stands still. Blocks on it: for worker threads.
     *
     * @return whether any setting has another value now
     */
    public synchronized boolean reload() {
        if (file == null || watched == null) {
            return false;
        }
        Optional<WatchedFile.Content> changed = watched.look();
        if (changed.isEmpty()) {
            return false;
        }
        try {
            Map<Setting, String> read = SettingsFile.of(file, changed.get());
            Map<Setting, String> applied = withoutRestarts(read);
            Snapshot next = evaluate(environment, applied, overrides);
            warnOfRestarts(read);
            fromFile = applied;
            boolean differs = !next.config().equals(snapshot.config());
            snapshot = next;
            trouble = null;
            LOG.info("{} was read again", file);
            return differs;
        } catch (ConfigException wrong) {
            trouble = wrong.line();
            LOG.warn("the changed configuration is not used: {}", wrong.line());
            return false;
        }
    }

    /** Why the file as it is now is not in force, one line without secrets; empty when it is. */
    public Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    @Override
    public JsonObject describe() {
        SettingValues values = snapshot.values();
        JsonArray list = new JsonArray();
        for (Setting setting : Setting.values()) {
            SettingValues.Value value = values.get(setting);
            list.add(new JsonObject()
                    .put("name", setting.environment())
                    .put("value", shown(setting, value.text()))
                    .put("default", shown(setting, setting.defaultValue()))
                    .put("unit", setting.unit())
                    .put("source", value.source().wireName())
                    .put("live", setting.live())
                    .put("description", setting.description()));
        }
        return new JsonObject().put("settings", list);
    }

    private static @Nullable Object shown(Setting setting, @Nullable String text) {
        if (setting.secret()) {
            return text == null ? "unset" : "set";
        }
        if (text == null) {
            return null;
        }
        if (setting.type() instanceof SettingType.Fraction) {
            return Double.valueOf(text);
        }
        return setting.type() instanceof SettingType.Whole ? (Object) Long.valueOf(text) : text;
    }

    @Override
    public synchronized JsonObject override(JsonObject changes) {
        Map<Setting, String> next = new EnumMap<>(Setting.class);
        next.putAll(overrides);
        changes.forEach(change -> {
            Setting setting = requireLive(change.getKey());
            Object value = change.getValue();
            if (value == null) {
                next.remove(setting);
            } else {
                String text = String.valueOf(value);
                requireAccepted(setting, value, text);
                next.put(setting, text);
            }
        });
        try {
            snapshot = evaluate(environment, fromFile, next);
        } catch (ConfigException wrong) {
            throw new FailureException(FailureCode.INVALID_FIELD, wrong.line());
        }
        overrides = next;
        LOG.info("settings overridden until the process ends: {}", changes.fieldNames());
        return describe();
    }

    private static Setting requireLive(String name) {
        Setting setting = Setting.named(name)
                .orElseThrow(() -> FailureException.ofField(
                        FailureCode.UNKNOWN_FIELD, name, "no such setting; GET /v1/settings lists all"));
        if (!setting.live()) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD,
                    name,
                    "cannot change while the gateway runs; set it in the environment or the file and restart");
        }
        return setting;
    }

    private static void requireAccepted(Setting setting, Object value, String text) {
        boolean scalar = value instanceof String || value instanceof Number || value instanceof Boolean;
        if (!scalar || !setting.type().accepts(text)) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD,
                    setting.environment(),
                    "allowed is " + setting.type().allowed());
        }
    }

    private void warnOfRestarts(Map<Setting, String> read) {
        for (Setting setting : Setting.values()) {
            boolean shadowed = environment.containsKey(setting);
            if (!setting.live() && !shadowed && !same(read.get(setting), fromFile.get(setting))) {
                LOG.warn("{} changed in {}, but takes effect only at the next start", setting.key(), file);
            }
        }
    }

    /** The file's live settings, with the others as they were at the start. */
    private Map<Setting, String> withoutRestarts(Map<Setting, String> read) {
        Map<Setting, String> applied = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            String text;
            if (setting.live()) {
                text = read.get(setting);
            } else {
                SettingValues.Value value = atStart.get(setting);
                text = value.source() == SettingSource.FILE ? value.text() : null;
            }
            if (text != null) {
                applied.put(setting, text);
            }
        }
        return applied;
    }

    private static boolean same(@Nullable String one, @Nullable String other) {
        return one == null ? other == null : one.equals(other);
    }

    private static Snapshot evaluate(
            Map<Setting, String> environment, Map<Setting, String> file, Map<Setting, String> overrides) {
        Map<SettingSource, Map<Setting, String>> layers = new EnumMap<>(SettingSource.class);
        layers.put(SettingSource.FILE, file);
        layers.put(SettingSource.ENVIRONMENT, environment);
        layers.put(SettingSource.OVERRIDE, overrides);
        SettingValues values = SettingValues.of(layers);
        return new Snapshot(values, RecallgateConfig.of(values));
    }
}
