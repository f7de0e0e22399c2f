package io.recallgate.recall.passage;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.passage.Passages.Passage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long texts in passages (CONTRACTS C15a), by the rules alone. */
class PassagesTest {

    @Test
    void aTextThatFitsIsLeftAsItIs() {
        String text = "  One sentence. And another, with its spaces.\n";

        assertThat(cut(text, 100)).containsExactly(new Passage(0, text));
    }

    @Test
    void proseIsCutAtSentenceEndsAndTheLastSentenceOpensTheNextPassage() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            text.append("The keeper of garden ").append(i).append(" waters the roses every morning. ");
        }
        List<Passage> passages = checked(text.toString(), 120);

        assertThat(passages).hasSizeGreaterThan(10);
        for (int i = 0; i < passages.size(); i++) {
            assertThat(passages.get(i).text()).startsWith("The keeper").endsWith("morning.");
            if (i > 0) {
                Passage before = passages.get(i - 1);
                assertThat(passages.get(i).offset())
                        .as("passage %d begins before the one before it has ended", i)
                        .isLessThan(before.offset() + before.text().length());
            }
        }
    }

    @Test
    void languagesWithoutSpacesAreCutAtTheirOwnSentenceEnds() {
        List<Passage> passages = checked("我昨天去了一家新开的书店。店里有很多旧地图！你想一起去看看吗？".repeat(80), 100);

        assertThat(passages).hasSizeGreaterThan(10).allMatch(passage -> "。！？"
                .contains(passage.text().substring(passage.text().length() - 1)));
    }

    @Test
    void codeIsCutAtLineEnds() {
        String line = "    if (queue.size() > limit) { reject(request); }";

        assertThat(checked((line + "\n").repeat(200), 100))
                .hasSizeGreaterThan(10)
                .allMatch(passage ->
                        passage.text().startsWith("if") && passage.text().endsWith("}"));
    }

    @Test
    void withoutSentencesTheCutIsBetweenWords() {
        String text = "alpha beta gamma delta ".repeat(300);

        assertThat(checked(text, 50)).hasSizeGreaterThan(10).allMatch(passage -> List.of(
                        "alpha", "beta", "gamma", "delta")
                .containsAll(List.of(passage.text().split(" ", -1))));
    }

    @ParameterizedTest
    @ValueSource(ints = {14, 15, 16, 17, 18, 19, 20, 21})
    void aLongRunOfFlagsIsCutBetweenThem(int tokens) {
        // Odd numbers of everything in front: where flags begin is known only from where their run does.
        for (String before : List.of("", "é", "。。。", "👍", "🇫🇷é")) {
            List<Passage> passages = checked(before + "🇯🇵".repeat(2_000), Math.max(16, tokens * 3));

            assertThat(passages)
                    .hasSizeGreaterThan(5)
                    .allMatch(passage -> passage.text().replace("🇯🇵", "").isEmpty() || passage.offset() == 0);
            assertThat(passages.get(0).text()).startsWith(before);
            assertThat(passages.get(0).text().substring(before.length()).replace("🇯🇵", ""))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"👨‍👩‍👧‍👦", "🇯🇵", "👍🏽", "e\u0301", "\r\nx"})
    void aReadersCharacterIsNotTakenApart(String character) {
        List<Passage> passages = checked(character.repeat(2_000), 64);

        assertThat(passages)
                .hasSizeGreaterThan(5)
                .allMatch(passage ->
                        passage.text().replace(character, "").replace("x", "").isBlank());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0301", "\uDB40\uDD01"})
    void aCharacterThatNeverEndsIsCutAllTheSameAndNoSurrogatePairWithIt(String mark) {
        for (int tokens = 16; tokens < 24; tokens++) {
            assertThat(checked("e" + mark.repeat(3_000), tokens)).hasSizeBetween(100, 3_000);
        }
    }

    /** Whatever the text: every word is in some passage, no passage is over its bound, no character is halved. */
    @Test
    void anyMixtureOfScriptsIsCoveredWhole() {
        Random random = new Random(20);
        String[] parts = {
            "word",
            " ",
            " ",
            "\n",
            ". ",
            "。",
            "今",
            "한",
            "я",
            "é",
            "😀",
            "👩‍💻",
            "\u0301",
            "0123456789",
            "_",
            "\t\t",
            "supercalifragilistic",
            "?!",
            "\"",
            "      ",
            "ב",
            "ก็",
            "𝒳"
        };
        for (int round = 0; round < 400; round++) {
            StringBuilder text = new StringBuilder();
            int kinds = 1 + random.nextInt(parts.length);
            int length = random.nextInt(2_000);
            while (text.length() < length) {
                text.append(parts[random.nextInt(kinds)]);
            }
            checked(text.toString(), 16 + random.nextInt(100));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", " ", "\n", ".", ". ", "今", "😀", "\u0301", "x ", "Yes. ", "\u200d", "-"})
    void aMebibyteOfAnythingMakesPassagesInProportion(String unit) {
        String text = unit.repeat((1 << 20) / unit.length());

        assertThat(checked(text, 496)).hasSizeLessThan(8 * text.length() / 496 + 2);
    }

    @Test
    void itSaysHowMuchOfTheTextIsLeft() {
        String text = "One short sentence is here. ".repeat(1_000);
        Passages passages = new Passages(text, 50);
        assertThat(passages.restChars()).isEqualTo(text.length());
        passages.next();
        Passage last = Objects.requireNonNull(passages.next());

        assertThat(text.length() - passages.restChars())
                .isEqualTo(last.offset() + last.text().length() + 1);
    }

    @Test
    void whiteSpaceBehindTheLastPassageIsNotTextThatIsLeft() {
        Passages passages = new Passages("one two three four five six seven eight nine ten" + " \n".repeat(5_000), 16);

        assertThat(passages.restChars()).isGreaterThan(10_000);
        passages.next();
        assertThat(passages.restChars()).isZero();
    }

    @Test
    void aTextOfNothingButSpaceIsOnePassageAllTheSame() {
        assertThat(cut(" ".repeat(10_000), 16)).containsExactly(new Passage(0, " ".repeat(128)));
    }

    @Test
    void aPassageThatIsTooLongAfterAllIsCutInHalvesUntilItIsTooSmall() {
        List<Passage> left =
                List.of(new Passage(7, "Some words are longer than others, as everybody knows. ".repeat(9)));
        int rounds = 0;
        while (true) {
            List<Passage> next = left.stream()
                    .flatMap(passage -> Passages.smaller(passage).stream())
                    .toList();
            if (next.equals(left)) {
                break;
            }
            assertThat(next.size()).isGreaterThan(left.size());
            left = next;
            rounds++;
        }
        assertThat(rounds).isBetween(3, 6);
        assertThat(left.get(0).offset()).isEqualTo(7);
        assertThat(left).allMatch(passage -> passage.tokens() < 32);
    }

    @Test
    void whatIsPutInFrontOfEachPassageTakesItsRoom() {
        assertThat(Passages.room(512, "")).isEqualTo(504);
        assertThat(Passages.room(512, "Mina: ")).isEqualTo(502);
        assertThat(Passages.room(512, "今".repeat(200))).isEqualTo(304);
        assertThat(Passages.room(8, "Mina: ")).isEqualTo(16);
    }

    /** The passages of a text, after checking what holds for all of them. */
    private static List<Passage> checked(String text, int tokens) {
        List<Passage> passages = cut(text, tokens);
        assertThat(cut(text, tokens)).as("the same again").isEqualTo(passages);
        int covered = 0;
        for (Passage passage : passages) {
            int end = passage.offset() + passage.text().length();
            assertThat(text.startsWith(passage.text(), passage.offset())).isTrue();
            assertThat(passage.tokens()).isLessThanOrEqualTo(tokens);
            assertThat(passage.offset() > covered
                            && !text.substring(covered, passage.offset()).isBlank())
                    .as("something before %d is in no passage", passage.offset())
                    .isFalse();
            assertThat(end).isGreaterThan(covered);
            assertThat(splitsPair(text, passage.offset()) || splitsPair(text, end))
                    .as("a surrogate pair is halved")
                    .isFalse();
            covered = end;
        }
        assertThat(text.substring(covered).isBlank()).isTrue();
        return passages;
    }

    private static List<Passage> cut(String text, int tokens) {
        Passages passages = new Passages(text, tokens);
        List<Passage> all = new ArrayList<>();
        for (Passage passage = passages.next(); passage != null; passage = passages.next()) {
            all.add(passage);
        }
        assertThat(passages.restChars()).isZero();
        return all;
    }

    private static boolean splitsPair(String text, int at) {
        return at > 0
                && at < text.length()
                && Character.isHighSurrogate(text.charAt(at - 1))
                && Character.isLowSurrogate(text.charAt(at));
    }
}
