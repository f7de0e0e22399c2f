package io.recallgate.gateway.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.conversation.SourceItem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class SyntheticMemoriesTest {

    private static List<String> contents(long seed, int count) {
        List<String> contents = new ArrayList<>();
        try (SyntheticMemories memories = new SyntheticMemories(seed, count)) {
            for (SourceItem item = memories.next(); item != null; item = memories.next()) {
                contents.add(((SourceItem.Intact) item).memory().getString("content"));
            }
        }
        return contents;
    }

    @Test
    void theSameSeedGivesTheSameTextsAndAnotherOthers() {
        assertThat(contents(1, 100)).isEqualTo(contents(1, 100)).isNotEqualTo(contents(2, 100));
    }

    @Test
    void textsDiffer() {
        List<String> contents = contents(1, 5_000);

        assertThat(contents).hasSize(5_000);
        assertThat(new HashSet<>(contents)).hasSizeGreaterThan(4_700);
        assertThat(contents).allMatch(text -> text.length() >= 30 && text.length() <= 600);
    }
}
