package io.recallgate.gateway.http.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventFramerTest {

    private final EventFramer framer = new EventFramer();

    private String take(String piece) {
        return framer.take(Buffer.buffer(piece)).toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r"})
    void anEventPassesWithTheLineBreakThatEndsIt(String br) {
        String event = "event: x" + br + "data: 1" + br + br;

        assertThat(take(event)).isEqualTo(event);
        assertThat(take("data: 2" + br)).isEmpty();
        assertThat(take(br + "data: 3")).isEqualTo("data: 2" + br + br);
        assertThat(framer.rest().toString()).isEqualTo("data: 3");
        assertThat(framer.separator().toString()).isEmpty();
    }

    @Test
    void aLineBreakOfTwoThatIsCutBetweenThemIsOne() {
        assertThat(take("data: 1\r\n\r")).isEqualTo("data: 1\r\n\r");
        assertThat(take("\ndata: 2\r\n")).isEqualTo("\n");
        assertThat(framer.rest().toString()).isEqualTo("data: 2\r\n");
    }

    @Test
    void whateverThePiecesAreNothingIsLostAndOnlyWholeEventsPass() {
        Random random = new Random(42);
        for (int run = 0; run < 200; run++) {
            EventFramer fresh = new EventFramer();
            String br = new String[] {"\n", "\r\n", "\r"}[run % 3];
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 10; i++) {
                all.append(": comment")
                        .append(br)
                        .append("data: ")
                        .append(i)
                        .append(br)
                        .append(br);
            }
            StringBuilder passed = new StringBuilder();
            int at = 0;
            while (at < all.length()) {
                int end = Math.min(all.length(), at + 1 + random.nextInt(20));
                passed.append(fresh.take(Buffer.buffer(all.substring(at, end))));
                assertThat(all.substring(0, passed.length())).isEqualTo(passed.toString());
                assertThat(passed.length() == 0
                                || passed.toString().endsWith(br + br)
                                || passed.toString().endsWith("\r\n\r"))
                        .as(passed.toString())
                        .isTrue();
                at = end;
            }
            assertThat(passed.toString() + fresh.rest()).isEqualTo(all.toString());
        }
    }

    @Test
    void anEventThatIsTooLongPassesInPartsAndSaysSo() {
        String part = "data: " + "x".repeat(EventFramer.MAX_KEPT_BYTES);

        assertThat(take(part)).isEqualTo(part);
        assertThat(framer.separator().toString()).isEqualTo("\n\n");
        assertThat(take("x\n\ndata: ")).isEqualTo("x\n\n");
        assertThat(framer.separator().toString()).isEmpty();
    }
}
