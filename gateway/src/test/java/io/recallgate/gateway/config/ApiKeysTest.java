package io.recallgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.gateway.config.ApiKeys.Principal;
import io.recallgate.gateway.config.ApiKeys.Right;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiKeysTest {

    /** SHA-256 of "abc", from FIPS 180-2. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @TempDir
    Path directory;

    @Test
    void aKnownKeySpeaksForItsOwnerWithItsRights() throws IOException {
        ApiKeys keys = load("keys:\n  - {sha256: " + ABC + ", owner: alice, projects: [atlas, ''], rights: [read]}\n");

        Principal alice = keys.check("abc").orElseThrow();

        assertThat(alice.owner()).isEqualTo("alice");
        assertThat(alice.has(Right.READ)).isTrue();
        assertThat(alice.has(Right.WRITE)).isFalse();
        assertThat(alice.mayUse("atlas")).isTrue();
        assertThat(alice.mayUse("")).isTrue();
        assertThat(alice.mayUse("other")).isFalse();
        assertThat(keys.check("abd")).isEmpty();
        assertThat(keys.check(ABC)).isEmpty();
        assertThat(keys.check("")).isEmpty();
    }

    @Test
    void withoutProjectsAllMayBeUsed() throws IOException {
        ApiKeys keys =
                load("keys: [{sha256: " + ABC.toUpperCase(java.util.Locale.ROOT) + ", owner: a, rights: [admin]}]");

        assertThat(keys.check("abc").orElseThrow().mayUse("anything")).isTrue();
        assertThat(keys.size()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "keys: []",
                "keys: x",
                "other: []",
                "keys: [{sha256: my-plain-key-1234, owner: a, rights: [read]}]",
                "keys: [{sha256: " + ABC + ", rights: [read]}]",
                "keys: [{sha256: " + ABC + ", owner: 'recallgate:probes', rights: [read]}]",
                "keys: [{sha256: " + ABC + ", owner: a}]",
                "keys: [{sha256: " + ABC + ", owner: a, rights: [root]}]",
                "keys: [{sha256: " + ABC + ", owner: a, rights: [read], my-plain-key-1234: 1}]",
                "keys: [{sha256: " + ABC + ", owner: a, rights: [read], projects: 1}]",
                "keys: [{sha256: " + ABC + ", owner: a, rights: [read]}, {sha256: " + ABC
                        + ", owner: b, rights: [read]}]",
                "keys: [",
                "keys: [{sha256: " + ABC + ", owner: ._, rights: [read]}]",
                "keys: !!float my-plain-key-1234",
            })
    void aWrongFileIsOneLineThatShowsNoKey(String yaml) {
        assertThatThrownBy(() -> load(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("RECALLGATE_API_KEYS_FILE is '")
                .hasMessageNotContaining("my-plain-key-1234")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aFileThatCannotBeReadIsNamed() {
        assertThatThrownBy(() -> ApiKeys.load(directory.resolve("none")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("cannot be read");
    }

    private ApiKeys load(String yaml) throws IOException {
        return ApiKeys.load(Files.writeString(directory.resolve("keys.yaml"), yaml));
    }
}
