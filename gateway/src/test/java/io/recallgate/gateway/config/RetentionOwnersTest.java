package io.recallgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.WrittenLog;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RetentionOwnersTest {

    private static final String ALICE = "keys:\n  - {owner: alice, sha256: '" + "0".repeat(64) + "', rights: [read]}\n";

    @TempDir
    Path directory;

    @Test
    void aRuleForAnOwnerWithoutAKeyIsWarnedOfAtTheStartAndNotAgain() throws IOException {
        SettingsHolder settings = settings("alice/atlas=30,alcie/atlas=30,bob/=0");
        try (WrittenLog log = WrittenLog.of(RetentionOwners.class.getName())) {
            ConfigFiles files = ConfigFiles.of(settings);
            assertThat(log.warnings())
                    .singleElement()
                    .isEqualTo(
                            "RECALLGATE_RETENTION_OVERRIDES has a rule for alcie, bob, but no key has any of them as its"
                                    + " owner: check the spelling");

            files.reload();
            assertThat(log.warnings()).hasSize(1);

            settings.override(new JsonObject().put("RECALLGATE_RETENTION_OVERRIDES", "alcie/=3"));
            files.reload();
            assertThat(log.warnings()).hasSize(2).last().asString().contains("a rule for alcie, but no key has it as");

            settings.override(new JsonObject().put("RECALLGATE_RETENTION_OVERRIDES", "alice/=3"));
            files.reload();
            assertThat(log.warnings()).hasSize(2);
        }
    }

    @Test
    void withoutKeysTheOwnerIsLocal() {
        try (WrittenLog log = WrittenLog.of(RetentionOwners.class.getName())) {
            ConfigFiles.of(overrides("local/=30"));
            assertThat(log.warnings()).isEmpty();

            ConfigFiles.of(overrides("alice/=30"));
            assertThat(log.warnings()).hasSize(1);
        }
    }

    private SettingsHolder settings(String overrides) throws IOException {
        Path keys = directory.resolve("keys.yaml");
        Files.writeString(keys, ALICE);
        return SettingsHolder.of(new JsonObject()
                .put("http", new JsonObject().put("api-keys-file", keys.toString()))
                .put("recall", new JsonObject().put("retention-overrides", overrides)));
    }

    private static SettingsHolder overrides(String overrides) {
        return SettingsHolder.of(
                new JsonObject().put("recall", new JsonObject().put("retention-overrides", overrides)));
    }
}
