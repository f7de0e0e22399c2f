package io.recallgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.RetentionPolicy;
import io.recallgate.recall.api.Scope;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsHolderTest {

    @TempDir
    Path directory;

    @Test
    void anOverrideWinsOverTheEnvironmentUntilItIsTakenBack() {
        SettingsHolder holder = SettingsHolder.load(Map.of("EMBEDDING_TIMEOUT_MS", "700"), Optional.empty());
        Supplier<RecallSettings> live = holder.recallSettings();

        holder.override(new JsonObject().put("EMBEDDING_TIMEOUT_MS", 90));
        assertThat(live.get().embeddingTimeoutMillis()).isEqualTo(90);
        assertThat(described(holder, "EMBEDDING_TIMEOUT_MS").getString("source"))
                .isEqualTo("override");

        holder.override(new JsonObject().putNull("EMBEDDING_TIMEOUT_MS"));
        assertThat(live.get().embeddingTimeoutMillis()).isEqualTo(700);
        assertThat(described(holder, "EMBEDDING_TIMEOUT_MS").getString("source"))
                .isEqualTo("environment");
    }

    @Test
    void aChangedFileAppliesLiveSettingsAndKeepsTheOthers() throws IOException {
        Path file = write("embedding: {timeout-ms: 100, workers: 2}\n");
        SettingsHolder holder = SettingsHolder.load(Map.of(), Optional.of(file));
        assertThat(reload(holder)).isFalse();

        write("embedding: {timeout-ms: 2000, workers: 4}\n");

        assertThat(reload(holder)).isTrue();
        assertThat(holder.config().recall().embeddingTimeoutMillis()).isEqualTo(2000);
        assertThat(holder.config().embedding().workers()).hasValue(2);
    }

    @Test
    void aFileThatBecameWrongOrVanishedLeavesTheLastGoodOne() throws IOException {
        Path file = write("embedding: {timeout-ms: 100}\n");
        SettingsHolder holder = SettingsHolder.load(Map.of(), Optional.of(file));

        write("embedding: {timeout-ms: never}\n");
        assertThat(reload(holder)).isFalse();
        assertThat(holder.config().recall().embeddingTimeoutMillis()).isEqualTo(100);

        assertThat(holder.trouble().orElseThrow()).contains("timeout-ms");

        write("embedding: {timeout-ms: ._}\n");
        assertThat(reload(holder)).isFalse();
        assertThat(holder.trouble().orElseThrow()).contains("not valid YAML");

        Files.delete(file);
        assertThat(reload(holder)).isFalse();
        assertThat(holder.trouble().orElseThrow()).contains("no such file");
        assertThat(holder.config().recall().embeddingTimeoutMillis()).isEqualTo(100);

        write("embedding: {timeout-ms: 12345}\n");
        assertThat(reload(holder)).isTrue();
        assertThat(holder.config().recall().embeddingTimeoutMillis()).isEqualTo(12345);
        assertThat(holder.trouble()).isEmpty();
    }

    @Test
    void overridesAreAllOrNothing() {
        SettingsHolder holder = SettingsHolder.of(new JsonObject());

        assertThatThrownBy(() -> holder.override(
                        new JsonObject().put("EMBEDDING_TIMEOUT_MS", 90).put("RECALLGATE_JOB_POLL_MS", "soon")))
                .isInstanceOfSatisfying(FailureException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(FailureCode.INVALID_FIELD);
                    assertThat(failure.field()).isEqualTo("RECALLGATE_JOB_POLL_MS");
                });

        assertThat(holder.config()).isEqualTo(RecallgateConfig.defaults());
    }

    @Test
    void whatCannotChangeLiveSaysSo() {
        SettingsHolder holder = SettingsHolder.of(new JsonObject());

        assertThatThrownBy(() -> holder.override(new JsonObject().put("RECALLGATE_HTTP_PORT", 1)))
                .isInstanceOf(FailureException.class)
                .hasMessageContaining("restart");
        assertThatThrownBy(() -> holder.override(new JsonObject().put("RECALLGATE_COLOUR", 1)))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.UNKNOWN_FIELD));
        assertThatThrownBy(() -> holder.override(new JsonObject().put("EMBEDDING_TIMEOUT_MS", new JsonObject())))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.INVALID_FIELD));
    }

    @Test
    void overridesThatContradictEachOtherAreRefused() {
        SettingsHolder holder = SettingsHolder.of(new JsonObject());

        assertThatThrownBy(() -> holder.override(new JsonObject().put("RECALLGATE_JOB_BACKOFF_MAX_MS", 10)))
                .isInstanceOf(FailureException.class)
                .hasMessageContaining("RECALLGATE_JOB_BACKOFF_BASE_MS");
    }

    @Test
    void everySettingIsDescribedAndSecretsAreOnlySetOrUnset() {
        SettingsHolder holder =
                SettingsHolder.load(Map.of("RECALLGATE_DATABASE_URL", "postgresql://u:hunter2@db/x"), Optional.empty());

        assertThat(holder.describe().getJsonArray("settings")).hasSize(Setting.values().length);
        assertThat(described(holder, "RECALLGATE_DATABASE_URL").getString("value"))
                .isEqualTo("set");
        assertThat(described(SettingsHolder.of(new JsonObject()), "RECALLGATE_DATABASE_URL")
                        .getString("value"))
                .isEqualTo("unset");
        assertThat(described(holder, "RECALLGATE_HTTP_PORT").getLong("value")).isEqualTo(7411);
        assertThat(holder.describe().encode()).doesNotContain("hunter2");
    }

    @Test
    void retentionIsLiveAndAProjectsDaysWin() {
        SettingsHolder holder = SettingsHolder.of(new JsonObject());
        assertThat(holder.config().retention()).isEqualTo(RetentionPolicy.KEEP);

        holder.override(new JsonObject()
                .put("RECALLGATE_RETENTION_DAYS", 90)
                .put("RECALLGATE_RETENTION_OVERRIDES", "alice/atlas=30, alice/=0,a%2Fb%2Cc/p%3Dq+r=7"));

        RetentionPolicy policy = holder.config().retention();
        assertThat(policy.days(new Scope("bob", "atlas"))).isEqualTo(90);
        assertThat(policy.days(new Scope("alice", "atlas"))).isEqualTo(30);
        assertThat(policy.days(new Scope("alice", ""))).isZero();
        assertThat(policy.days(new Scope("a/b,c", "p=q+r"))).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "30",
                "atlas=30",
                "/atlas=30",
                "alice/atlas",
                "alice/atlas=",
                "alice/atlas=soon",
                "alice/atlas=-1",
                "alice/atlas=36501",
                "alice/atlas=1,",
                "alice/atlas=1,alice/atlas=2",
                "alice/a/b=1",
                "alice/%zz=1"
            })
    void wrongRetentionOfProjectsIsRefusedWhole(String rules) {
        SettingsHolder holder = SettingsHolder.of(new JsonObject());

        assertThatThrownBy(() -> holder.override(new JsonObject()
                        .put("RECALLGATE_RETENTION_DAYS", 1)
                        .put("RECALLGATE_RETENTION_OVERRIDES", rules)))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.field())
                        .isEqualTo("RECALLGATE_RETENTION_OVERRIDES"));
        assertThat(holder.config().retention()).isEqualTo(RetentionPolicy.KEEP);
    }

    private static JsonObject described(SettingsHolder holder, String name) {
        return holder.describe().getJsonArray("settings").stream()
                .map(JsonObject.class::cast)
                .filter(setting -> setting.getString("name").equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A change counts once two looks have seen it. */
    private static boolean reload(SettingsHolder holder) {
        boolean first = holder.reload();
        return holder.reload() || first;
    }

    private Path write(String yaml) throws IOException {
        return Files.writeString(directory.resolve("recallgate.yaml"), yaml);
    }
}
