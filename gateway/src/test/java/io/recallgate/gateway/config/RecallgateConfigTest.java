package io.recallgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.remote.RemoteOptions;
import io.recallgate.recall.api.RecallSettings;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecallgateConfigTest {

    @TempDir
    Path directory;

    @Test
    void withNothingSetTheDocumentedDefaultsHold() {
        RecallgateConfig config = RecallgateConfig.load(Map.of("PATH", "/bin", "HOME", "/root"), Optional.empty());

        assertThat(config).isEqualTo(RecallgateConfig.defaults());
        assertThat(config.http().host()).isEqualTo("127.0.0.1");
        assertThat(config.http().port()).isEqualTo(7411);
        assertThat(config.dataDir()).isEqualTo(Path.of("data").toAbsolutePath());
        assertThat(config.embedding().workers()).isEqualTo(OptionalInt.empty());
        assertThat(config.recall()).isEqualTo(RecallSettings.DEFAULTS);
    }

    @Test
    void theEnvironmentWinsOverTheFile() throws IOException {
        Path file = file("http:\n  port: 8000\n  body-limit-bytes: 2048\nembedding:\n  workers: 3\n");

        RecallgateConfig config = RecallgateConfig.load(Map.of("RECALLGATE_HTTP_PORT", "9000"), Optional.of(file));

        assertThat(config.http().port()).isEqualTo(9000);
        assertThat(config.http().bodyLimitBytes()).isEqualTo(2048);
        assertThat(config.embedding().workers()).hasValue(3);
    }

    @Test
    void anEmptyVariableCountsAsUnset() {
        assertThat(RecallgateConfig.load(Map.of("RECALLGATE_DATABASE_URL", ""), Optional.empty())
                        .database()
                        .url())
                .isEmpty();
    }

    @Test
    void anEmbeddingApplicationGivesAnObject() {
        RecallgateConfig config = RecallgateConfig.of(new JsonObject()
                .put("data-dir", "/somewhere")
                .put("embedding", new JsonObject().put("provider", "none").put("timeout-ms", 50)));

        assertThat(config.dataDir()).isEqualTo(Path.of("/somewhere"));
        assertThat(config.embedding().provider()).isEqualTo(RecallgateConfig.Provider.NONE);
        assertThat(config.recall().embeddingTimeoutMillis()).isEqualTo(50);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RECALLGATE_HTTP_PORT | abc | RECALLGATE_HTTP_PORT is 'abc': allowed is a whole number from 0 to 65535",
                "RECALLGATE_HTTP_PORT | 65536 | RECALLGATE_HTTP_PORT is '65536': allowed is a whole number from 0 to 65535",
                "EMBEDDING_TIMEOUT_MS | 0 | EMBEDDING_TIMEOUT_MS is '0': allowed is a whole number from 1 to 600000",
                "RECALLGATE_RETENTION_DAYS | -1 | RECALLGATE_RETENTION_DAYS is '-1': allowed is a whole number from 0 to 36500",
                "RECALLGATE_RETENTION_OVERRIDES | atlas=30 | RECALLGATE_RETENTION_OVERRIDES is 'atlas=30': allowed is a list such as OWNER/PROJECT=30,OWNER/=0, days from 0 to 36500, each project once, with %2C, %2F, %3D and %25 for , / = and %",
                "RECALLGATE_LOG_FORMAT | xml | RECALLGATE_LOG_FORMAT is 'xml': allowed is one of auto, text, json",
                "RECALLGATE_HTTP_HOST | 0.0.0.0 | RECALLGATE_HTTP_HOST is '0.0.0.0': without RECALLGATE_API_KEYS_FILE only a loopback address is allowed, such as 127.0.0.1",
                "RECALLGATE_JOB_BACKOFF_MAX_MS | 5 | RECALLGATE_JOB_BACKOFF_MAX_MS is '5': allowed is at least RECALLGATE_JOB_BACKOFF_BASE_MS",
                "RECALLGATE_DATABASE_POOL_SIZE | 31 | RECALLGATE_DATABASE_POOL_SIZE is '31': allowed is at most 30 with the embedded PostgreSQL; RECALLGATE_DATABASE_URL names another",
                "RECALLGATE_HTTP_PROT | 1 | RECALLGATE_HTTP_PROT is not a setting; did you mean RECALLGATE_HTTP_PORT?",
                "RECALLGATE_CONTEXT_WINDOWS | my-model=12 | RECALLGATE_CONTEXT_WINDOWS is 'my-model=12': allowed is a list such as my-model=32768,other-*=200000",
                "RECALLGATE_UPSTREAM_OPENAI_URL | ftp://api.example | RECALLGATE_UPSTREAM_OPENAI_URL is 'ftp://api.example': allowed is a URL such as https://host/path",
                "RECALLGATE_EMBEDDING_PROVIDER | openai | RECALLGATE_EMBEDDING_URL is not set: with RECALLGATE_EMBEDDING_PROVIDER 'openai' it is the base URL of the server",
                "RECALLGATE_EMBEDDING_URL | ftp://api.example/v1 | RECALLGATE_EMBEDDING_URL is 'ftp://api.example/v1': allowed is a URL such as https://host/path",
                "RECALLGATE_EMBEDDING_DIMENSIONS | 0 | RECALLGATE_EMBEDDING_DIMENSIONS is '0': allowed is a whole number from 1 to 16000",
                "RECALLGATE_INPUT_LIMIT_BYTES | 1000 | RECALLGATE_INPUT_LIMIT_BYTES is not a setting; conf/recallgate.yaml lists all",
                "RECALLGATE_DATABASE_URL_FILE | /nowhere/at/all | RECALLGATE_DATABASE_URL_FILE is '/nowhere/at/all': allowed is a file that can be read",
            })
    void aWrongValueIsOneLineWithTheSettingTheValueAndWhatIsAllowed(String name, String value, String line) {
        assertThatThrownBy(() -> RecallgateConfig.load(Map.of(name, value), Optional.empty()))
                .isInstanceOf(ConfigException.class)
                .hasMessage(line);
    }

    @Test
    void theRemoteProviderTakesItsSettingsAndShowsNoKey() throws IOException {
        Path key = Files.writeString(directory.resolve("key"), "sk-hunter2\n");
        RecallgateConfig config = RecallgateConfig.load(
                Map.of(
                        "RECALLGATE_EMBEDDING_PROVIDER", "openai",
                        "RECALLGATE_EMBEDDING_URL", "http://127.0.0.1:11434",
                        "RECALLGATE_EMBEDDING_MODEL", "nomic-embed-text",
                        "RECALLGATE_EMBEDDING_API_KEY_FILE", key.toString(),
                        "RECALLGATE_EMBEDDING_DIMENSIONS", "768",
                        "RECALLGATE_EMBEDDING_QUERY_PREFIX", "search_query: ",
                        "RECALLGATE_EMBEDDING_CANCELS_ON_DISCONNECT", "true",
                        "RECALLGATE_EMBEDDING_BATCH_TIMEOUT_MS", "9000",
                        "RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MS", "700"),
                Optional.empty());

        RemoteOptions remote = config.embedding().remote().orElseThrow();
        assertThat(remote.server().endpoint()).hasToString("http://127.0.0.1:11434/v1/embeddings");
        assertThat(remote.server().apiKey()).hasValue("sk-hunter2");
        assertThat(remote.server().cancelsOnDisconnect()).isTrue();
        assertThat(remote.model().name()).isEqualTo("nomic-embed-text");
        assertThat(remote.model().dimensions()).hasValue(768);
        assertThat(remote.model().queryPrefix()).isEqualTo("search_query: ");
        assertThat(remote.bounds().batch()).hasSeconds(9);
        assertThat(remote.breaker().backoff()).hasMillis(700);
        assertThat(config.toString()).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RECALLGATE_EMBEDDING_MODEL | | RECALLGATE_EMBEDDING_MODEL is not set: with RECALLGATE_EMBEDDING_PROVIDER 'openai' it is the model's name there",
                "RECALLGATE_EMBEDDING_URL | http://u:hunter2@h/v1 | RECALLGATE_EMBEDDING_URL: allowed is a base URL such as https://api.openai.com/v1, without user, query and fragment; RECALLGATE_EMBEDDING_API_KEY takes the key",
                "RECALLGATE_EMBEDDING_API_KEY | sk hunter2 | RECALLGATE_EMBEDDING_API_KEY: allowed is a key of visible ASCII characters",
                "RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MAX_MS | 5 | RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MAX_MS is '5': allowed is at least RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MS"
            })
    void whatTheRemoteProviderLacksIsOneLine(String name, String value, String line) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "RECALLGATE_EMBEDDING_PROVIDER", "openai",
                "RECALLGATE_EMBEDDING_URL", "https://api.example/v1",
                "RECALLGATE_EMBEDDING_MODEL", "some-model"));
        environment.put(name, value == null ? "" : value);

        assertThatThrownBy(() -> RecallgateConfig.load(environment, Optional.empty()))
                .isInstanceOf(ConfigException.class)
                .hasMessage(line);
    }

    @Test
    void aSecretIsNeverShown() {
        assertThatThrownBy(() -> RecallgateConfig.load(
                        Map.of("RECALLGATE_DATABASE_URL", "mysql://root:hunter2@db/x"), Optional.empty()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("RECALLGATE_DATABASE_URL: allowed is a URL such as postgresql://")
                .hasMessageNotContaining("hunter2");
        assertThat(RecallgateConfig.load(
                                Map.of("RECALLGATE_DATABASE_URL", "postgresql://root:hunter2@db/x"), Optional.empty())
                        .toString())
                .doesNotContain("hunter2");
    }

    @Test
    void aSecretMayComeFromAFile() throws IOException {
        Path secret = Files.writeString(directory.resolve("url"), "postgresql://u:p@db:5433/x\n");

        assertThat(RecallgateConfig.load(Map.of("RECALLGATE_DATABASE_URL_FILE", secret.toString()), Optional.empty())
                        .database()
                        .url())
                .hasValue("postgresql://u:p@db:5433/x");
        assertThat(RecallgateConfig.load(Map.of(), Optional.of(file("database:\n  url-file: " + secret + "\n")))
                        .database()
                        .url())
                .hasValue("postgresql://u:p@db:5433/x");
        assertThatThrownBy(() -> RecallgateConfig.load(
                        Map.of(
                                "RECALLGATE_DATABASE_URL_FILE",
                                secret.toString(),
                                "RECALLGATE_DATABASE_URL",
                                "postgresql://h/d"),
                        Optional.empty()))
                .hasMessageContaining("are both set");
    }

    @Test
    void whatKubernetesAndTheScriptSetIsNoUnknownSetting() {
        assertThat(RecallgateConfig.load(
                        Map.of(
                                "RECALLGATE_PORT", "tcp://10.0.0.1:7411",
                                "RECALLGATE_PORT_7411_TCP_ADDR", "10.0.0.1",
                                "RECALLGATE_SERVICE_HOST", "10.0.0.1",
                                "RECALLGATE_JAVA_OPTS", "-Xmx1g"),
                        Optional.empty()))
                .isEqualTo(RecallgateConfig.defaults());
    }

    @Test
    void whatTheStackAndTheTestsReadIsNoUnknownSetting() {
        assertThat(RecallgateConfig.load(
                        Map.of(
                                "RECALLGATE_PORT", "17411",
                                "RECALLGATE_PROMETHEUS_PORT", "19090",
                                "RECALLGATE_JRE_IMAGE", "some/jre:17",
                                "RECALLGATE_DATABASE_PASSWORD", "sesame",
                                "RECALLGATE_LIFECYCLE_PORT", "17412",
                                "RECALLGATE_EVAL_DIR", "/data/conversations",
                                "RECALLGATE_TEST_PGVECTOR_URL", "postgresql://h/d"),
                        Optional.empty()))
                .isEqualTo(RecallgateConfig.defaults());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http: {prot: 1} | unknown setting 'http.prot'; did you mean 'http.port'?",
                "htpp: {port: 1} | unknown setting 'htpp'; conf/recallgate.yaml lists all",
                "htpp: | unknown setting 'htpp'; conf/recallgate.yaml lists all",
                "http: {port: {x: 1}} | http.port must be a single value",
                "http: {port: [1]} | http.port must be a single value",
                "[1, 2] | must be a map of settings",
                "http: {port: 1, port: 2} | line 1: not valid YAML: found duplicate key port",
                "http: {port: 99999} | http.port in the configuration (RECALLGATE_HTTP_PORT) is '99999': allowed is a whole number from 0 to 65535",
            })
    void aWrongFileIsOneLine(String yaml, String line) {
        assertThatThrownBy(() -> RecallgateConfig.load(Map.of(), Optional.of(file(yaml))))
                .isInstanceOf(ConfigException.class)
                .hasMessageEndingWith(line);
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> RecallgateConfig.load(Map.of(), Optional.of(directory.resolve("none.yaml"))))
                .isInstanceOf(ConfigException.class)
                .hasMessageEndingWith("none.yaml: cannot be read (no such file)");
    }

    @Test
    void keysAllowAnyAddress() {
        assertThat(RecallgateConfig.load(
                                Map.of("RECALLGATE_HTTP_HOST", "0.0.0.0", "RECALLGATE_API_KEYS_FILE", "keys.yaml"),
                                Optional.empty())
                        .http()
                        .apiKeysFile())
                .hasValue(Path.of("keys.yaml").toAbsolutePath());
    }

    private Path file(String yaml) throws IOException {
        return Files.writeString(directory.resolve("recallgate.yaml"), yaml);
    }
}
