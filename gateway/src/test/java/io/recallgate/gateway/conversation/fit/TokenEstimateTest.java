package io.recallgate.gateway.conversation.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The estimate beside two real tokenizers; the table that it prints is where the prices come from. */
class TokenEstimateTest {

    private static final Path ROOT = Path.of("..");

    private static Map<String, String> texts() throws IOException {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("english prose", read("README.md"));
        texts.put("java", read("recall/src/main/java/io/recallgate/recall/passage/Passages.java"));
        texts.put("yaml", read("gateway/src/main/resources/openapi.yaml"));
        texts.put("json", read("gateway/src/test/npm/package-lock.json"));
        texts.put("chat in ndjson", read("gateway/src/main/resources/sample/conversation.ndjson"));
        for (String language : new String[] {"chinese", "japanese", "korean", "russian"}) {
            texts.put(language, read("gateway/src/test/resources/texts/" + language + ".txt"));
        }
        texts.put(
                "numbers",
                new Random(1)
                        .ints(2_000, 0, 100_000)
                        .collect(StringBuilder::new, (out, n) -> out.append(n).append(' '), StringBuilder::append)
                        .toString());
        return texts;
    }

    private static String read(String path) throws IOException {
        return Files.readString(ROOT.resolve(path));
    }

    private static double ratio(String text, Tokenizer tokenizer) {
        // In pieces: what is too long is not counted.
        long real = 0;
        for (int at = 0; at < text.length(); at += 50_000) {
            real += tokenizer
                    .count(text.substring(at, Math.min(text.length(), at + 50_000)))
                    .tokens();
        }
        return TokenEstimate.of(text) / (double) real;
    }

    @Test
    void ordinaryTextsAreEstimatedAboveWhatTwoTokenizersCountAndNotFarAbove() throws IOException {
        texts().forEach((name, text) -> {
            double o200k = ratio(text, Tokenizer.O200K);
            double cl100k = ratio(text, Tokenizer.CL100K);
            System.out.printf(
                    Locale.ROOT,
                    "%-16s %6d bytes  estimate %6d  o200k x%.2f  cl100k x%.2f%n",
                    name,
                    text.getBytes(StandardCharsets.UTF_8).length,
                    TokenEstimate.of(text),
                    o200k,
                    cl100k);
            assertThat(Math.min(o200k, cl100k)).as(name).isGreaterThanOrEqualTo(1.0);
            assertThat(Math.min(o200k, cl100k)).as(name).isLessThan(2.5);
        });
    }

    @Test
    void textsWithoutWordsAreEstimatedAtTwoThirdsOfWhatTheyAreAtLeast() {
        Random random = new Random(7);
        byte[] bytes = new byte[30_000];
        random.nextBytes(bytes);
        Map<String, String> odd = Map.of(
                "base64", Base64.getEncoder().encodeToString(bytes),
                "letters",
                        random.ints(30_000, 'a', 'z' + 1)
                                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                                .toString(),
                "rare characters",
                        random.ints(30_000, 0x4E00, 0x9000)
                                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                                .toString(),
                "emoji", "👩‍👩‍👧🦊".repeat(3_000),
                "signs", "!?-".repeat(10_000));
        odd.forEach((name, text) -> {
            double least = Math.min(ratio(text, Tokenizer.O200K), ratio(text, Tokenizer.CL100K));
            System.out.printf(Locale.ROOT, "%-16s x%.2f%n", name, least);
            assertThat(least).as(name).isGreaterThanOrEqualTo(0.65);
        });
    }

    @Test
    void anEmptyTextIsNoToken() {
        assertThat(TokenEstimate.of("")).isZero();
    }
}
