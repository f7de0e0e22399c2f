package io.recallgate.embedding.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmbedInputTest {

    @ParameterizedTest
    @CsvSource({
        "'', 64",
        "plain, 69",
        "caf\u00e9 \u00ff, 70",
        "caf\u00e9 \u0100, 76",
        "\u65e5\u672c, 68",
        "\uD83D\uDE00, 68"
    })
    void aTextIsChargedWithOneByteACharacterUnlessOneOfThemNeedsTwoAndWithWhatJavaPutsAround(String text, long bytes) {
        EmbedInput input = new EmbedInput.Text(text);

        assertThat(input.chargedBytes()).isEqualTo(bytes).isBetween(input.leastBytes(), input.mostBytes());
    }

    @Test
    void tokensAreChargedWithFourBytesEachAndWithWhatJavaPutsAround() {
        EmbedInput input = new EmbedInput.Tokens(new int[] {1, 2, 3});

        assertThat(input.chargedBytes())
                .isEqualTo(40 + 12)
                .isEqualTo(input.leastBytes())
                .isEqualTo(input.mostBytes());
    }
}
