package io.recallgate.gateway.config;

import io.recallgate.gateway.config.Setting.Trait;
import io.recallgate.gateway.config.SettingTable.Entry;
import io.recallgate.gateway.config.SettingType.Choice;
import io.recallgate.gateway.config.SettingType.Words;
import io.recallgate.recall.api.RankingSignal;
import java.util.Arrays;
import java.util.Set;

/** The settings of words and what else ranks: their lines in the table of {@link Setting}. */
final class WordSettings {

    static final Entry SIGNALS = new Entry(
            "RECALLGATE_RECALL_SIGNALS",
            "recall.signals",
            new Words(Arrays.stream(RankingSignal.values())
                    .map(RankingSignal::wireName)
                    .toList()),
            "neighbours,cohesion,author-words,date-words,author-match,pinned,name-stripping",
            "",
            "What else counts for the order of hits. What each is worth is measured by: recallgate eval --ablate.",
            Set.of(Trait.LIVE));

    /** A test holds them to those that recall has stems for; to ask it here would load Lucene for every command. */
    static final Entry LANGUAGE = new Entry(
            "RECALLGATE_RECALL_LANGUAGE",
            "recall.language",
            Choice.of("auto", "en", "de", "fr", "es", "it", "pt", "nl", "ru"),
            "auto",
            "",
            "Whose stems words have; auto tells it for each text. Memories are analysed anew behind everything else.",
            Set.of());

    private WordSettings() {}
}
