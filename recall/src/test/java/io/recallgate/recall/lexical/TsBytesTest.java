package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.TestDatabase;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TsBytesTest {

    private static final String WORDS =
            "'=teas':12289C 'caf\u00e9':2 'it''s':3,4097A 'tea':2,4098A,8193B,12289C,16383C";

    @Test
    void whatTheServerSendsIsReadForTheTermsThatAreAsked() {
        try (TestDatabase database = TestDatabase.empty()) {
            String hex = database.queryText(
                    "select encode(tsvectorsend('" + WORDS.replace("'", "''") + "'::tsvector), 'hex')");
            Buffer bytes = Buffer.buffer(HexFormat.of().parseHex(hex));
            assertThat(bytes).isEqualTo(sent(WORDS));
            assertThat(read(List.of("tea", "te", "teas", "=teas", "caf\u00e9", "cafe", "it's", "unheard"), bytes))
                    .containsExactlyInAnyOrder(
                            "tea false 2 D",
                            "tea false 2 A",
                            "tea false 1 B",
                            "tea false 1 C",
                            "tea false 4095 C",
                            "=teas true 1 C",
                            "caf\u00e9 false 2 D",
                            "it's false 3 D",
                            "it's false 1 A");
        }
    }

    @Test
    void termsOfOneHashAreToldApart() {
        List<String> terms = new ArrayList<>();
        StringBuilder words = new StringBuilder();
        // Aa and BB have one hash, and so has whatever is put together from them.
        for (int i = 0; i < 64; i++) {
            StringBuilder term = new StringBuilder();
            for (int bit = 0; bit < 6; bit++) {
                term.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            terms.add(term.toString());
            words.append('\'').append(term).append("':").append(i + 1).append(' ');
        }
        assertThat(read(terms, sent(words.toString())))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 64)
                        .mapToObj(i -> terms.get(i) + " false " + (i + 1) + " D")
                        .toList());
        assertThat(read(List.of("AaAa"), sent(words.toString()))).isEmpty();
        assertThat(read(List.of("tea"), sent(""))).isEmpty();
    }

    private static List<String> read(List<String> terms, Buffer words) {
        List<String> read = new ArrayList<>();
        new TsBytes(terms)
                .read(
                        words,
                        (term, marked, position, weight) -> read.add(terms.get(term) + " " + marked + " "
                                + (weight == 'D' ? position : position - base(weight)) + " " + weight));
        return read;
    }

    private static int base(char weight) {
        return switch (weight) {
            case 'A' -> 4_096;
            case 'B' -> 8_192;
            default -> 12_288;
        };
    }

    /** A {@code tsvector} in text form as the server sends it, but for the order of its lexemes. */
    static Buffer sent(String tsvector) {
        Map<String, List<Integer>> entries = new LinkedHashMap<>();
        TsText.read(
                tsvector, (lexeme, position, weight) -> entries.computeIfAbsent(lexeme, ignored -> new ArrayList<>())
                        .add("DCBA".indexOf(weight) << 14 | position));
        Buffer out = Buffer.buffer().appendInt(entries.size());
        entries.forEach((lexeme, positions) -> {
            out.appendBytes(lexeme.getBytes(StandardCharsets.UTF_8)).appendByte((byte) 0);
            out.appendUnsignedShort(positions.size());
            positions.forEach(out::appendUnsignedShort);
        });
        return out;
    }
}
