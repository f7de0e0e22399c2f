package io.recallgate.gateway.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PostgresPlatformTest {

    @Test
    void theSupportedPlatformsAreRecognised() {
        assertThat(PostgresPlatform.of("Linux", "amd64")).isEqualTo(PostgresPlatform.LINUX_X86_64);
        assertThat(PostgresPlatform.of("Linux", "aarch64")).isEqualTo(PostgresPlatform.LINUX_ARM_64);
        assertThat(PostgresPlatform.of("Mac OS X", "aarch64")).isEqualTo(PostgresPlatform.DARWIN_ARM_64);
    }

    @Test
    void anotherPlatformIsOneLineThatSaysWhatToDo() {
        assertThatThrownBy(() -> PostgresPlatform.of("Windows 11", "amd64"))
                .isInstanceOf(FailureException.class)
                .hasMessage(
                        "the embedded PostgreSQL does not run on Windows 11 amd64"
                                + " (Linux x86-64 and arm64, macOS arm64); set RECALLGATE_DATABASE_URL to use another PostgreSQL");
        assertThatThrownBy(() -> PostgresPlatform.of("Linux", "riscv64")).isInstanceOf(FailureException.class);
        assertThatThrownBy(() -> PostgresPlatform.of("Mac OS X", "x86_64")).isInstanceOf(FailureException.class);
    }

    @Test
    void everyPlatformHasItsArchiveInTheBuild() {
        for (PostgresPlatform platform : PostgresPlatform.values()) {
            assertThat(PostgresPlatform.class.getResource("/" + platform.archive()))
                    .as(platform.archive())
                    .isNotNull();
        }
    }

    @Test
    void theWaitBeforeARestartDoublesUpToItsBound() {
        PostgresOptions options = PostgresOptions.of(Path.of("x"));

        assertThat(options.backoffMillis(1)).isEqualTo(250);
        assertThat(options.backoffMillis(2)).isEqualTo(500);
        assertThat(options.backoffMillis(7)).isEqualTo(16_000);
        assertThat(options.backoffMillis(8)).isEqualTo(30_000);
        assertThat(options.backoffMillis(1_000_000)).isEqualTo(30_000);
    }
}
