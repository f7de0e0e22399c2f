package io.recallgate.embedding.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenizerTest {

    @Test
    void aCutNeverSplitsACodePoint() {
        assertThat(Tokenizer.cutToBytes("añ漢😀", 100)).isEqualTo("añ漢😀");
        assertThat(Tokenizer.cutToBytes("añ漢😀", 10)).isEqualTo("añ漢😀");
        assertThat(Tokenizer.cutToBytes("añ漢😀", 9)).isEqualTo("añ漢");
        assertThat(Tokenizer.cutToBytes("añ漢😀", 5)).isEqualTo("añ");
        assertThat(Tokenizer.cutToBytes("añ漢😀", 2)).isEqualTo("a");
        assertThat(Tokenizer.cutToBytes("añ漢😀", 0)).isEmpty();
    }
}
