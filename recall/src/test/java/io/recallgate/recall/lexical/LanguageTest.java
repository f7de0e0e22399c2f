package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageTest {

    private final LuceneAnalysis analysis = new LuceneAnalysis();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Mina moved to Kyoto in spring and likes it there                         | en
            I die in a war that was not mine                                         | en
            Katzenfutter                                                             | en
            Hola, how was your trip to Rome? We had a party here over the weekend    | en
            Wir waren gestern mit den Kindern im Zoo und haben viele Tiere gesehen   | de
            Ich war gestern in Rom                                                   | de
            Nous avons acheté des livres pour les enfants et ils sont contents       | fr
            C'est l'amour de ma vie, je l'ai dit à mes amis                          | fr
            Los niños fueron a la escuela con sus hermanos y no volvieron            | es
            I bambini sono andati al mare con gli amici della nonna                  | it
            As crianças foram à escola com os irmãos e não voltaram                  | pt
            De kinderen zijn met hun vrienden naar het strand gegaan                 | nl
            Дети пошли в школу вместе с друзьями                                     | ru
            Київ                                                                     | ru
            先週、東京タワーに行きました                                               | en
            서울에서 만났어요                                                          | en
            foo.bar(user_id) && !x                                                   | en
            """)
    void aTextsLanguageIsTold(String text, String language) {
        assertThat(LanguageGuess.of(text).code()).isEqualTo(language);
        assertThat(analysis.document(LuceneAnalysisTest.draft(text, null, null)).language())
                .isEqualTo(language);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            de | Wir haben mit den Kindern die alten Häuser besucht        | Haus
            de | Wir haben mit den Kindern die alten Häuser besucht        | alte
            de | Sie hat eine Straße und die Wohnungen gesehen             | strasse wohnung
            fr | Nous avons visité les maisons des amis                    | maison
            fr | Il y a de l'amour et des chevaux dans la maison           | amour cheval
            es | Los niños fueron a la escuela con sus hermanas            | hermana
            it | I ragazzi sono andati al mare con gli amici               | ragazzo
            pt | As crianças foram para a escola com os irmãos             | crianca irmao
            nl | De kinderen zijn met hun honden naar het strand gegaan    | hond
            ru | Дети пошли в школу вместе с друзьями                      | школа
            en | The children were running with their friends              | run friend
            """)
    void wordsMeetInTheirStems(String language, String text, String question) {
        Set<String> words = words(text);
        Set<Language> present = Set.of(Language.of(language).orElseThrow());
        for (String word : question.split(" ", -1)) {
            assertThat(words)
                    .as(word)
                    .containsAnyElementsOf(analysis.query(word, present).terms());
        }
        // And the same where the language is a setting.
        LuceneAnalysis fixed = LuceneAnalysis.of(language);
        Set<String> same = words(fixed.document(LuceneAnalysisTest.draft(text, null, null)));
        assertThat(same).isEqualTo(words);
        assertThat(same).containsAll(fixed.query(question).terms());
    }

    @Test
    void aQuestionIsLookedForInItsOwnLanguageAndThoseOfTheMemories() {
        assertThat(analysis.query("houses").terms()).containsExactly("hous");
        assertThat(analysis.query("Häuser", Set.of(Language.GERMAN)).terms()).contains("haus");
        assertThat(analysis.query("Wo sind die Häuser").terms()).contains("haus");
        List<String> both = analysis.query("running houses", Set.of(Language.ENGLISH, Language.GERMAN))
                .terms();
        assertThat(both).startsWith("run", "hous").doesNotHaveDuplicates();
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            many.append("wort").append(i).append("en ");
        }
        assertThat(analysis.query(many.toString(), Set.of(Language.values()))
                        .terms()
                        .size())
                .isLessThanOrEqualTo(2 * LuceneAnalysis.MAX_QUERY_TERMS);
    }

    @Test
    void phrasesAreLookedForInEachLanguageAsOnePhrase() {
        LexicalQuery query = analysis.query("\"alte Häuser\"", Set.of(Language.ENGLISH, Language.GERMAN));
        assertThat(query.phrases()).hasSize(1);
        assertThat(query.phrases().get(0).tsquery()).contains(" | ");
        assertThat(query.phrases().get(0).terms()).hasSize(2);
    }

    @Test
    void datesAreInWordsOfTheTextsLanguage() {
        Instant may = Instant.parse("2023-05-08T10:00:00Z");
        Set<String> german =
                words(analysis.document(LuceneAnalysisTest.draft("Ich war mit den Kindern im Zoo", null, may)));
        assertThat(german)
                .containsAll(LuceneAnalysis.of("de").query("Montag Mai 2023").terms());
        assertThat(words(analysis.document(LuceneAnalysisTest.draft("We were at the zoo", null, may))))
                .containsAll(LuceneAnalysis.of("en").query("Monday May 2023").terms());
    }

    @Test
    void whatIsCertainOfALiteralIsSoInWhateverLanguageItsMemoryIs() {
        String literal = "ch habe die alten Häuser gesehe";
        for (Language language : Language.values()) {
            Set<String> words = words(LuceneAnalysis.of(language.code())
                    .document(LuceneAnalysisTest.draft("Ich habe die alten Häuser gesehen", null, null)));
            assertThat(analysis.certainTerms(literal)).as("%s", language).anyMatch(words::containsAll);
        }
    }

    @Test
    void anUnknownLanguageIsRefused() {
        assertThatThrownBy(() -> LuceneAnalysis.of("tlh")).isInstanceOf(IllegalArgumentException.class);
        List<String> ids =
                new ArrayList<>(List.of(LuceneAnalysis.of(LuceneAnalysis.AUTO).id()));
        Language.codes().forEach(code -> ids.add(LuceneAnalysis.of(code).id()));
        assertThat(ids).doesNotHaveDuplicates();
    }

    private Set<String> words(String text) {
        return words(analysis.document(LuceneAnalysisTest.draft(text, null, null)));
    }

    private static Set<String> words(LexicalDocument document) {
        Set<String> words = new HashSet<>();
        TsText.read(document.tsvector(), (word, position, weight) -> words.add(word));
        return words;
    }
}
