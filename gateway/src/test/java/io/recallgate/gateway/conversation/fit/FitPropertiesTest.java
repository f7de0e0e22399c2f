package io.recallgate.gateway.conversation.fit;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.History;
import io.recallgate.gateway.conversation.Rendering;
import io.recallgate.gateway.conversation.transcript.Entry;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What holds of every cut of every history. */
class FitPropertiesTest {

    private static final TokenCache NO_CACHE = new TokenCache(0);
    private static final TokenCache CACHE = new TokenCache(200);

    private static History history(Protocol protocol, int turns, Random random) {
        History history = History.of(protocol, turns, random);
        history.open();
        return history;
    }

    private static void assertSound(FitPlan plan, Transcript transcript) {
        assertThat(plan.firstKept()).isBetween(0, transcript.currentTurn());
        assertThat(plan.shortenedUntil()).isLessThanOrEqualTo(transcript.currentTurn());
        if (plan.firstKept() > 0) {
            assertThat(transcript.entry(plan.firstKept()).userTurn())
                    .as("begins with a user")
                    .isTrue();
        }
        long instructions =
                transcript.entries().stream().filter(Entry::isInstruction).count();
        assertThat(plan.firstKept() - plan.leftOut(transcript))
                .as("instructions are not left out")
                .isEqualTo(instructions
                        - transcript.entries().subList(plan.firstKept(), transcript.size()).stream()
                                .filter(Entry::isInstruction)
                                .count());
        Set<String> called = new HashSet<>();
        for (Entry entry : transcript.entries().subList(plan.firstKept(), transcript.size())) {
            assertThat(called).as("calls of the results").containsAll(entry.results());
            called.addAll(entry.calls());
        }
        for (int i = plan.firstKept() - 1; i >= 0; i--) {
            // A call that is left out takes its result with it: ids may come again, so the result is the next with the
            // id.
            for (String call : transcript.entry(i).calls()) {
                int result = i + 1;
                while (!transcript.entry(result).results().contains(call)) {
                    result++;
                }
                assertThat(result).as("the result of a call that is left out").isLessThan(plan.firstKept());
            }
        }
    }

    @Property
    void aHistoryFitsOrItsCurrentTurnAloneIsTooLong(
            @ForAll Protocol protocol,
            @ForAll @IntRange(min = 0, max = 12) int turns,
            @ForAll @IntRange(min = 50, max = 30_000) int budget,
            @ForAll @IntRange(min = 0, max = 400) int memory,
            @ForAll long seed) {
        Random random = new Random(seed);
        Transcript transcript = Rendering.odd(random).transcript(history(protocol, turns, random));
        TokenCounter counter = new TokenCounter(Tokenizer.ESTIMATE, NO_CACHE);
        FitOutcome outcome = new Fitter(counter, () -> false).fit(transcript, new FitBudget(budget, memory), null);
        if (outcome instanceof FitPlan plan) {
            assertSound(plan, transcript);
            assertThat(plan.tokens() + memory).isLessThanOrEqualTo(budget);
            assertThat(plan.tokens()).isEqualTo(sum(counter, transcript, plan));
        } else {
            FitPlan least = new FitPlan(transcript.currentTurn(), 0, 0, 0, false, false);
            assertThat(sum(counter, transcript, least) + memory).isGreaterThan(budget);
        }
    }

    private static long sum(TokenCounter counter, Transcript transcript, FitPlan plan) {
        long sum = counter.fixed(transcript).tokens();
        for (int i = plan.firstKept(); i < transcript.size(); i++) {
            Entry entry = transcript.entry(i);
            sum += (i < plan.shortenedUntil() ? counter.shortened(transcript, entry) : counter.whole(transcript, entry))
                    .tokens();
        }
        return sum;
    }

    @Property
    void theNextTurnsLeaveAnAcceptedWindowWhereItIs(
            @ForAll Protocol protocol,
            @ForAll @IntRange(min = 1, max = 10) int turns,
            @ForAll @IntRange(min = 1_000, max = 30_000) int budget,
            @ForAll long seed) {
        Random random = new Random(seed);
        History history = history(protocol, turns, random);
        TokenCounter counter = new TokenCounter(Tokenizer.ESTIMATE, NO_CACHE);
        Fitter fitter = new Fitter(counter, () -> false);
        Transcript before = Rendering.odd(random).transcript(history);
        if (!(fitter.fit(before, new FitBudget(budget, 0), null) instanceof FitPlan first)) {
            return;
        }
        history.open();
        // The client moved its marks, and one that has no room for what came since is cut anew.
        Transcript after = Rendering.marked(random).transcript(history);
        if (fitter.fit(after, new FitBudget(budget, 0), first.window(before, Tokenizer.ESTIMATE))
                instanceof FitPlan second) {
            assertSound(second, after);
            assertThat(second.tokens()).isLessThanOrEqualTo(budget);
            if (second.accepted()) {
                assertThat(second.firstKept()).isEqualTo(first.firstKept());
                assertThat(second.shortenedUntil()).isEqualTo(first.shortenedUntil());
            } else {
                long behind = after.entries().stream()
                        .skip(before.size())
                        .mapToLong(entry -> counter.whole(after, entry).tokens())
                        .sum();
                assertThat(first.windowTokens() + behind + counter.fixed(after).tokens())
                        .isGreaterThan(budget);
            }
        }
    }

    @Property(tries = 100)
    void aSuffixKeptWithoutTimeIsNeverTooLongForTheRealTokenizer(
            @ForAll Protocol protocol,
            @ForAll @IntRange(min = 0, max = 8) int turns,
            @ForAll @IntRange(min = 300, max = 20_000) int budget,
            @ForAll long seed) {
        Random random = new Random(seed);
        Transcript transcript = Rendering.odd(random).transcript(history(protocol, turns, random));
        FitBudget room = new FitBudget(budget, 0);
        for (FitOutcome outcome :
                List.of(Fitter.longestSafeSuffix(transcript, room), Fitter.suffixByBytes(transcript, room))) {
            if (outcome instanceof FitPlan plan) {
                assertSound(plan, transcript);
                assertThat(plan.shortenedUntil()).isZero();
                assertThat(sum(new TokenCounter(Tokenizer.O200K, CACHE), transcript, plan))
                        .isLessThanOrEqualTo(budget);
            }
        }
    }

    @Property(tries = 100)
    void whatIsRememberedIsWhatWouldBeCounted(
            @ForAll Protocol protocol,
            @ForAll Tokenizer tokenizer,
            @ForAll @IntRange(min = 1, max = 6) int turns,
            @ForAll long seed) {
        Random random = new Random(seed);
        History history = history(protocol, turns, random);
        TokenCounter cached = new TokenCounter(tokenizer, CACHE);
        TokenCounter counting = new TokenCounter(tokenizer, NO_CACHE);
        for (int round = 0; round < 2; round++) {
            Transcript transcript = Rendering.plain().transcript(history);
            for (Entry entry : transcript.entries()) {
                assertThat(cached.whole(transcript, entry)).isEqualTo(counting.whole(transcript, entry));
                assertThat(cached.shortened(transcript, entry)).isEqualTo(counting.shortened(transcript, entry));
            }
            assertThat(cached.fixed(transcript)).isEqualTo(counting.fixed(transcript));
        }
        assertThat(CACHE.size()).isLessThanOrEqualTo(200);
    }
}
