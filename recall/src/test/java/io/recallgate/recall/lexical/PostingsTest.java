package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.lexical.QuestionScorer.Asked;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PostingsTest {

    private static final ScopeStatistics KNOWN = new ScopeStatistics(
            100_000,
            5,
            Map.of("tea", 20_000, "cake", 9_000),
            Map.of(),
            Set.of(),
            Set.of(Language.ENGLISH),
            Cohesion.ASSUMED);

    @Test
    void whatIsWrittenIsReadWithinItsBounds() {
        Postings.Block block = new Postings.Block();
        block.add(0, 7, "'tea':2,4097A,8193B '=teas':12289C");
        block.add(200, 300, "'tea':100");
        block.add(Postings.MAX_SPAN - 1, 1, "'tea':4098A");
        List<String> read = new ArrayList<>();
        Postings.read(
                block.postings("tea"),
                (place, count, author, date, length) ->
                        read.add(place + " " + count + " " + author + " " + date + " " + length));
        assertThat(read).containsExactly("0 2 true true 7", "200 63 false false 255", "65535 0 true false 1");
        assertThat(block.words()).containsExactly("tea");
    }

    @Test
    void aWordOfFewMemoriesIsLeftOut() {
        Postings.Block block = new Postings.Block();
        for (int i = 0; i < Postings.MIN_MEMORIES; i++) {
            block.add(i, 2, i == 0 ? "'tea':1" : "'cake':1 'tea':1");
        }
        assertThat(block.words()).containsExactly("tea");
    }

    @Test
    void aWordHasAnotherKeyInEachScope() {
        assertThat(Postings.key(new Scope("a", "p"), "tea"))
                .isEqualTo(Postings.key(new Scope("a", "p"), "tea"))
                .isNotEqualTo(Postings.key(new Scope("b", "p"), "tea"))
                .isNotEqualTo(Postings.key(new Scope("a", ""), "tea"))
                .isNotEqualTo(Postings.key(new Scope("a", "p"), "cake"));
    }

    @Test
    void theBestOfAllBlocksAreKeptAndOfEqualOnesTheNewest() {
        Postings.Block words = new Postings.Block();
        words.add(0, 5, "'cake':1 'tea':1");
        words.add(1, 5, "'tea':1");
        words.add(2, 5, "'tea':1 'cake':1");
        words.add(3, 5, "'cake':1");
        words.add(4, 5, "'cake':1");
        QuestionScorer scorer = QuestionScorer.of(
                new Asked(List.of("tea", "cake"), List.of(), Map.of()), KNOWN, RankingSettings.DEFAULTS);
        BlockRanking ranking = new BlockRanking(scorer, 4);
        for (long first : new long[] {100, 10}) {
            ranking.block(first, first + 4);
            ranking.add(0, words.postings("tea"));
            ranking.add(1, words.postings("cake"));
        }
        assertThat(ranking.best()).containsExactlyInAnyOrder(100L, 102L, 10L, 12L);

        BlockRanking fewer = new BlockRanking(scorer, 3);
        for (long first : new long[] {100, 10}) {
            fewer.block(first, first + 4);
            fewer.add(1, words.postings("cake"));
        }
        assertThat(fewer.best()).containsExactlyInAnyOrder(102L, 103L, 104L);
    }
}
