package io.recallgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.lexical.Language;
import io.recallgate.recall.lexical.LuceneAnalysis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingTest {

    private static final Path DOCUMENTED = Path.of("..", "conf", "recallgate.yaml");

    @Test
    void theFileDocumentsTheTableExactly() throws IOException {
        // After a change of the table: run this test with RECALLGATE_TEST_WRITE_CONF=1 and commit the file.
        if (System.getenv("RECALLGATE_TEST_WRITE_CONF") != null) {
            Files.writeString(DOCUMENTED, SettingsDocument.render());
        }

        assertThat(DOCUMENTED).hasContent(SettingsDocument.render());
    }

    @Test
    void theDocumentedFileChangesNothing() {
        assertThat(SettingsFile.read(DOCUMENTED)).isEmpty();
    }

    @Test
    void theDocumentedDefaultsWithoutTheirCommentMarksAreTheDefaults(@TempDir Path directory) throws IOException {
        String all = Pattern.compile("^( *)# ([a-z-]+:( .*)?)$", Pattern.MULTILINE)
                .matcher(Files.readString(DOCUMENTED))
                .replaceAll("$1$2");
        Path file = Files.writeString(directory.resolve("all.yaml"), all);
        Map<Setting, String> expected = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            if (setting.defaultValue() != null) {
                expected.put(setting, setting.defaultValue());
            }
        }

        assertThat(SettingsFile.read(file)).isEqualTo(expected);
    }

    @Test
    void signalsAreAListOfKnownNamesEachOnceOrNone() {
        SettingType signals = Setting.RECALL_SIGNALS.type();
        assertThat(signals.accepts("none")).isTrue();
        assertThat(signals.accepts("neighbours, date-words")).isTrue();
        assertThat(signals.accepts("neighbours,neighbours")).isFalse();
        assertThat(signals.accepts("neighbors")).isFalse();
        assertThat(signals.accepts("none,neighbours")).isFalse();
        assertThat(signals.accepts("")).isFalse();
        // The usual value has every signal there is.
        assertThat(RecallgateConfig.defaults().recall().ranking()).isEqualTo(RankingSettings.DEFAULTS);
    }

    @Test
    void everyDefaultIsAllowedAndEveryNameIsItsOwn() {
        Set<String> names = new HashSet<>();
        for (Setting setting : Setting.values()) {
            assertThat(names.add(setting.environment())).as(setting.name()).isTrue();
            assertThat(names.add(setting.key())).as(setting.name()).isTrue();
            assertThat(setting.description()).endsWith(".");
            String value = setting.defaultValue();
            assertThat(value == null || setting.type().accepts(value))
                    .as(setting.name())
                    .isTrue();
        }
    }

    @Test
    void theLanguagesAreThoseThatRecallHasStemsFor() {
        List<String> languages = new ArrayList<>(List.of(LuceneAnalysis.AUTO));
        languages.addAll(Language.codes());
        assertThat(Setting.RECALL_LANGUAGE.type()).isEqualTo(new SettingType.Choice(languages));
        for (String language : languages) {
            assertThat(LuceneAnalysis.of(language).id()).endsWith(language);
        }
    }

    @Test
    void aNumberWithAUnitInItsNameSaysTheSameUnit() {
        for (Setting setting : Setting.values()) {
            if (setting.key().endsWith("-ms")) {
                assertThat(setting.unit()).as(setting.name()).isEqualTo("ms");
            }
            if (setting.key().endsWith("-bytes")) {
                assertThat(setting.unit()).as(setting.name()).isEqualTo("bytes");
            }
        }
    }
}
