package io.recallgate.gateway.http.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineFramerTest {

    private final List<String> lines = new ArrayList<>();
    private final LineFramer framer = new LineFramer(line -> lines.add(
            line.number() + ":" + (line.isTooLong() ? "too long" : new String(line.utf8(), StandardCharsets.UTF_8))));

    private void feed(String text) {
        framer.feed(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void linesEndWithLfOrCrLfAndTheLastOneNeedNotEnd() {
        feed("a\nb\r\nc");
        framer.end();

        assertThat(lines).containsExactly("1:a", "2:b", "3:c");
        assertThat(framer.count()).isEqualTo(3);
    }

    @Test
    void blankLinesAreCountedAndLeftOut() {
        feed("\n \t\r\na\n\n\nb\n");
        framer.end();

        assertThat(lines).containsExactly("3:a", "6:b");
        assertThat(framer.count()).isEqualTo(6);
    }

    @Test
    void aByteOrderMarkIsNoPartOfALine() {
        feed("\uFEFFa\n\uFEFF\nb\uFEFF\n");

        assertThat(lines).containsExactly("1:a", "3:b\uFEFF");
    }

    @Test
    void itDoesNotMatterWhereThePiecesEnd() {
        byte[] text = "京都 🏯\r\n\uFEFFzwei\n\n🏯".getBytes(StandardCharsets.UTF_8);

        for (byte one : text) {
            framer.feed(new byte[] {one});
        }
        framer.end();

        assertThat(lines).containsExactly("1:京都 🏯", "2:zwei", "4:🏯");
    }

    @Test
    void aLineOfTheLimitPassesAndOneByteMoreIsSkippedToItsEnd() {
        byte[] most = new byte[LineFramer.MAX_LINE_BYTES];
        Arrays.fill(most, (byte) 'x');
        framer.feed(most);
        feed("\n");
        framer.feed(most);
        feed("x still it\nnext\n");
        framer.feed(most);
        feed("x");
        framer.end();

        assertThat(lines.get(0)).hasSize(2 + LineFramer.MAX_LINE_BYTES);
        assertThat(lines.subList(1, lines.size())).containsExactly("2:too long", "3:next", "4:too long");
    }

    @Test
    void anEmptyBodyHasNoLines() {
        framer.end();

        assertThat(lines).isEmpty();
        assertThat(framer.count()).isZero();
    }
}
