package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LuceneAnalysisTest {

    private final LuceneAnalysis analysis = new LuceneAnalysis();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            The user_id column is indexed         | user_id
            The user_id column is indexed         | user
            Call foo.bar() before closing         | foo.bar()
            Call foo.bar() before closing         | bar
            We moved to HTTP/2 last week          | HTTP/2
            parse it with getUserName             | getUserName
            parse it with getUserName             | user name
            written in C++ mostly                 | C++
            Le café était fermé                   | cafe
            She was running marathons             | run marathon
            東京タワーに行きました                  | 東京
            東京タワーに行きました                  | タワー
            猫が好きです                           | 猫
            서울에서 만났어요                       | 서울
            ＨＴＴＰ server                        | http
            Great 🎉 party                        | party
            naïve ﬁle                             | naive file
            Melanie’s kids                        | Melanie
            """)
    void aDocumentIsFoundByTheWordsOfAQuery(String content, String query) {
        LexicalDocument document = analysis.document(draft(content, null, null));
        Set<Language> language = Set.of(Language.of(document.language()).orElseThrow());
        Map<String, Double> words = words(draft(content, null, null));
        if (language.contains(Language.ENGLISH)) {
            assertThat(words.keySet()).containsAll(analysis.query(query).terms());
        }
        assertThat(words.keySet())
                .containsAnyElementsOf(analysis.query(query, language).terms());
        assertThat(analysis.query(query).terms()).isNotEmpty();
    }

    @Test
    void aCompoundIsATermOfItsOwnBesideItsParts() {
        assertThat(analysis.query("HTTP/2").terms()).contains("http/2", "http", "2");
        assertThat(analysis.query("user_id").terms()).contains("user_id", "user", "id");
        assertThat(analysis.query("c#").terms()).contains("c#");
    }

    @Test
    void aQueryOfTwoCjkCharactersIsOneBigram() {
        assertThat(analysis.query("東京").terms()).containsExactly("東京");
        assertThat(analysis.query("猫").terms()).containsExactly("猫");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   ",
                "what did you say",
                "\"",
                "'",
                "\\",
                "!!! ???",
                "\u0000",
                "\ud83d",
                "()",
                ":*",
                "🎉",
                "' | 'x' & !'y"
            })
    void oddQueriesAreHarmless(String query) {
        assertThat(analysis.query(query).terms().size()).isLessThan(4);
    }

    @Test
    void aStopWordQueryIsEmptyButNotBlank() {
        assertThat(analysis.query("what did you say")).isEqualTo(new LexicalQuery(List.of(), false));
        assertThat(analysis.query("  ")).isEqualTo(new LexicalQuery(List.of(), true));
    }

    @Test
    void operatorsAreTerms() {
        List<String> terms = analysis.query("red AND blue OR NEAR(green, 3) NOT \"black cat\"")
                .terms();
        assertThat(terms)
                .contains("red", "blue", "near", "green", "black", "cat")
                .doesNotContain("and", "or", "not");
    }

    @Test
    void aQueryOf100KilobytesIsBounded() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; text.length() < 100_000; i++) {
            text.append("word").append(Integer.toString(i, 36)).append(' ');
        }
        assertThat(analysis.query(text.toString()).terms()).hasSize(LuceneAnalysis.MAX_QUERY_TERMS);
    }

    @Test
    void fieldsAreToldApartByWeightAndCountsSurvive() {
        LexicalDocument document = analysis.document(
                draft("tea tea tea with Melanie", "Melanie Tea", Instant.parse("2023-05-08T10:00:00Z")));
        Map<String, Double> words = new HashMap<>();
        TsText.read(document.tsvector(), (word, position, weight) -> {
            LexicalField field = LexicalField.of(weight);
            if (field != null) {
                words.merge(word, field.boost() * field.count(position), Double::sum);
            }
        });
        assertThat(words)
                .containsEntry("tea", 3 + 2.0)
                .containsEntry("melani", 1 + 2.0)
                .containsEntry("mondai", 0.5)
                .containsEntry("2023", 0.5);
        assertThat(document.length()).isEqualTo(4);
        assertThat(document.truncated()).isFalse();
    }

    @Test
    void noTextBreaksOutOfItsQuotes() {
        StringBuilder text = new StringBuilder();
        TsText.quote(text, "it's a \\ 'trap':1A");
        assertThat(text).hasToString("'it''s a \\\\ ''trap'':1A'");
        Map<String, Integer> read = new HashMap<>();
        TsText.read(text + ":7", (word, position, weight) -> read.put(word, position));
        assertThat(read).containsExactly(Map.entry("it's a \\ 'trap':1A", 7));
    }

    @Test
    void aTextWithTooManyWordsIsCutAndSaysSo() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 40_000; i++) {
            text.append(Integer.toString(i + 1_000_000, 36)).append("q ");
        }
        LexicalDocument document = analysis.document(draft(text.toString(), null, null));
        assertThat(document.truncated()).isTrue();
        assertThat(words(draft(text.toString(), null, null)).keySet())
                .filteredOn(word -> !WordPlaces.isMarked(word))
                .hasSize(LuceneAnalysis.MAX_DOCUMENT_TERMS);
    }

    @Test
    void theCertainTermsOfALiteralAreThoseNoNeighbourCanChange() {
        assertThat(analysis.certainTerms("nning marathons in Kyo"))
                .contains(List.of("marathon"), List.of("marathons"))
                .allMatch(terms -> terms.get(0).startsWith("maratho"));
        assertThat(analysis.certainTerms("nning marathon")).isEmpty();
        assertThat(analysis.certainTerms("東京タ")).containsExactly(List.of("東京", "京タ"));
    }

    private Map<String, Double> words(MemoryDraft draft) {
        Map<String, Double> words = new HashMap<>();
        TsText.read(
                analysis.document(draft).tsvector(), (word, position, weight) -> words.merge(word, 1.0, Double::sum));
        return words;
    }

    static MemoryDraft draft(String content, @Nullable String author, @Nullable Instant occurredAt) {
        return new MemoryDraft(
                content, MemoryKind.TURN, "user", author, null, occurredAt, false, null, new JsonObject());
    }

    @Test
    void knownNamesAreLeftOutInWhateverFormTheyStand() {
        Set<String> names = Set.of("carolin", "melani", "zoe");
        assertThat(analysis.without("What is Caroline's plan for MELANIE?", names, Set.of()))
                .isEqualTo("What is plan for ?");
        assertThat(analysis.without("Did Caroline\u2019s cat meet Zo\u00eb", names, Set.of()))
                .isEqualTo("Did cat meet");
        assertThat(analysis.without("the carolina river", names, Set.of())).isEqualTo("the carolina river");
    }

    @Test
    void aQuestionThatIsOnlyANameStaysWhatItIs() {
        assertThat(analysis.without("Caroline?", Set.of("carolin"), Set.of())).isEqualTo("Caroline?");
        assertThat(analysis.without("  odd   spaces stay ", Set.of("carolin"), Set.of()))
                .isEqualTo("  odd   spaces stay ");
        assertThat(analysis.without("Caroline", Set.of(), Set.of())).isEqualTo("Caroline");
    }
}
