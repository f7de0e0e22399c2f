package io.recallgate.embedding.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmbedInputTest {

    @ParameterizedTest
    @CsvSource({"'', 0", "plain, 5", "caf\u00e9 \u00ff, 6", "caf\u00e9 \u0100, 12", "\u65e5\u672c, 4", "\uD83D\uDE00, 4"
    })
    void aTextIsChargedWithOneByteACharacterUnlessOneOfThemNeedsTwo(String text, long bytes) {
        EmbedInput input = new EmbedInput.Text(text);

        assertThat(input.chargedBytes()).isEqualTo(bytes).isBetween(input.leastBytes(), input.mostBytes());
    }

    @Test
    void tokensAreChargedWithFourBytesEach() {
        EmbedInput input = new EmbedInput.Tokens(new int[] {1, 2, 3});

        assertThat(input.chargedBytes())
                .isEqualTo(12)
                .isEqualTo(input.leastBytes())
                .isEqualTo(input.mostBytes());
    }
}
