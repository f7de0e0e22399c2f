package io.recallgate.gateway.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DisplayWidthTest {

    @Test
    void wideCharactersTakeTwoCellsAndMarksNone() {
        assertThat(DisplayWidth.of("abc")).isEqualTo(3);
        assertThat(DisplayWidth.of("納品書")).isEqualTo(6);
        assertThat(DisplayWidth.of("한글")).isEqualTo(4);
        assertThat(DisplayWidth.of("ｶﾅ")).isEqualTo(2);
        assertThat(DisplayWidth.of("e\u0301")).isEqualTo(1);
        assertThat(DisplayWidth.of("🎂")).isEqualTo(2);
        assertThat(DisplayWidth.of("Größe")).isEqualTo(5);
    }

    @Test
    void truncationKeepsWithinItsCells() {
        assertThat(DisplayWidth.truncate("abcdef", 6)).isEqualTo("abcdef");
        assertThat(DisplayWidth.truncate("abcdefg", 6)).isEqualTo("abcde…");
        assertThat(DisplayWidth.truncate("納品書", 6)).isEqualTo("納品書");
        assertThat(DisplayWidth.truncate("納品書", 5)).isEqualTo("納品…");
        assertThat(DisplayWidth.truncate("納品書", 4)).isEqualTo("納…");
        assertThat(DisplayWidth.truncate("🎂🎂", 3)).isEqualTo("🎂…");
        assertThat(DisplayWidth.truncate("ab", 1)).isEqualTo("…");
    }

    @Test
    void paddingCountsCells() {
        assertThat(DisplayWidth.padRight("納", 4)).isEqualTo("納  ");
        assertThat(DisplayWidth.padLeft("納", 4)).isEqualTo("  納");
        assertThat(DisplayWidth.padRight("long", 2)).isEqualTo("long");
    }
}
