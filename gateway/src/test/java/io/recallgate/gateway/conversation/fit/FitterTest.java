package io.recallgate.gateway.conversation.fit;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FitterTest {

    private final TokenCounter counter = new TokenCounter(Tokenizer.ESTIMATE, new TokenCache(1_000));
    private final Fitter fitter = new Fitter(counter, () -> false);
    private final StringBuilder messages = new StringBuilder();

    private static String words(int words) {
        return "word ".repeat(words);
    }

    private FitterTest says(String role, String text) {
        messages.append(messages.isEmpty() ? "" : ",")
                .append("{\"role\":\"" + role + "\",\"content\":\"" + text + "\"}");
        return this;
    }

    private FitterTest calls(String id, String output) {
        messages.append(",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"" + id + "\"}]}");
        messages.append(",{\"role\":\"tool\",\"tool_call_id\":\"" + id + "\",\"content\":\"" + output + "\"}");
        return this;
    }

    private Transcript read() {
        return Transcript.parse(
                Protocol.OPENAI,
                new RequestBody(("{\"messages\":[{\"role\":\"system\",\"content\":\"s\"}," + messages + "]}")
                        .getBytes(StandardCharsets.UTF_8)));
    }

    private long tokens(Transcript transcript, int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += counter.whole(transcript, transcript.entry(i)).tokens();
        }
        return sum;
    }

    private long all(Transcript transcript) {
        return counter.fixed(transcript).tokens() + tokens(transcript, 0, transcript.size());
    }

    private FitPlan plan(Transcript transcript, long input, long memory) {
        return (FitPlan) fitter.fit(transcript, new FitBudget(input, memory), null);
    }

    @Test
    void whatFitsToTheLastTokenIsLeftAsItIs() {
        Transcript read = says("user", words(100))
                .calls("1", words(2_000))
                .says("user", words(10))
                .read();
        long all = all(read);
        assertThat(plan(read, all, 0).isWhole()).isTrue();
        assertThat(plan(read, all, 0).tokens()).isEqualTo(all);
        assertThat(plan(read, all - 1, 0).isWhole()).isFalse();
        assertThat(plan(read, all + 50, 51).isWhole())
                .as("memory takes room too")
                .isFalse();
    }

    @Test
    void theOldestLongOutputsAreShortenedBeforeAnyTurnIsLeftOut() {
        Transcript read = says("user", "a")
                .calls("1", words(3_000))
                .calls("2", words(3_000))
                .says("user", "now")
                .read();
        FitPlan plan = plan(read, all(read) - 1, 0);
        assertThat(plan.firstKept()).isZero();
        assertThat(plan.shortenings(read)).hasSize(1);
        assertThat(plan.shortenings(read).get(0).cut().start())
                .isGreaterThan(read.entry(2).whole().start())
                .isLessThan(read.entry(2).whole().end());
    }

    @Test
    void theOutputsOfTheCurrentTurnStayWhole() {
        Transcript read = says("user", words(500))
                .says("user", "now")
                .calls("1", words(3_000))
                .read();
        FitPlan plan = plan(read, all(read) - 1, 0);
        assertThat(plan.firstKept()).isEqualTo(1);
        assertThat(plan.shortenings(read)).isEmpty();
    }

    @Test
    void wholeTurnsAreLeftOutUntilSevenTenthsOfTheBudgetAreUsed() {
        for (int i = 0; i < 20; i++) {
            says("user", words(100)).calls("c" + i, words(50)).says("assistant", words(50));
        }
        Transcript read = read();
        long budget = all(read) - 1;
        FitPlan plan = plan(read, budget, 0);
        assertThat(plan.firstKept() % 4).as("begins with a user").isZero();
        assertThat(plan.tokens()).isLessThanOrEqualTo((long) (budget * 0.7)).isGreaterThan((long) (budget * 0.6));
        assertThat(plan.firstKept()).isEqualTo(28);
    }

    @Test
    void aCurrentTurnThatIsTooLongAloneIsSaid() {
        Transcript read = says("user", words(100))
                .says("user", words(500))
                .calls("1", words(500))
                .read();
        long needed = counter.fixed(read).tokens() + tokens(read, 1, read.size()) + 30;
        assertThat(fitter.fit(read, new FitBudget(needed - 1, 30), null))
                .isEqualTo(new FitOutcome.TooLong(needed, needed - 1, false));
        assertThat(plan(read, needed, 30).firstKept()).isEqualTo(1);
    }

    @Test
    void anAcceptedWindowIsKeptAndOnlyWhatCameSinceIsCounted() {
        for (int i = 0; i < 20; i++) {
            says("user", words(100)).calls("c" + i, words(1_300)).says("assistant", words(50));
        }
        Transcript before = read();
        long budget = all(before) - 1;
        FitPlan first = plan(before, budget, 0);
        assertThat(first.isWhole()).isFalse();
        Transcript after = says("user", words(100))
                .says("assistant", words(100))
                .says("user", "more")
                .read();
        AtomicInteger asked = new AtomicInteger();
        FitPlan second = (FitPlan) new Fitter(counter, () -> asked.incrementAndGet() > 1_000)
                .fit(after, new FitBudget(budget, 0), first.window(before, Tokenizer.ESTIMATE));
        assertThat(second.accepted()).isTrue();
        assertThat(second.firstKept()).isEqualTo(first.firstKept());
        assertThat(second.shortenings(after)).isEqualTo(first.shortenings(before));
        assertThat(second.windowTokens()).isEqualTo(first.windowTokens() + tokens(after, before.size(), after.size()));
        assertThat(asked).hasValue(3);
    }

    @Test
    void anAcceptedWindowThatIsFullIsMoved() {
        for (int i = 0; i < 20; i++) {
            says("user", words(100)).says("assistant", words(50));
        }
        Transcript before = read();
        long budget = all(before) + 20;
        AcceptedWindow window = plan(before, budget, 0).window(before, Tokenizer.ESTIMATE);
        Transcript after = says("user", words(100)).read();
        FitPlan moved = (FitPlan) fitter.fit(after, new FitBudget(budget, 0), window);
        assertThat(moved.accepted()).isFalse();
        assertThat(moved.firstKept()).isPositive();
    }

    @Test
    void aWindowThatAnotherTokenizerCountedIsCountedAnew() {
        Transcript read = says("user", words(100)).says("user", "now").read();
        AcceptedWindow other = plan(read, 10_000, 0).window(read, Tokenizer.O200K);
        FitPlan plan = (FitPlan) fitter.fit(read, new FitBudget(10_000, 0), other);
        assertThat(plan.accepted()).isFalse();
    }

    @Test
    void aWindowOfAnotherConversationIsNotKept() {
        Transcript read =
                says("user", "a").says("assistant", "b").says("user", "c").read();
        AcceptedWindow own = new AcceptedWindow(0, 0, 2, read.chain(1), 10, true, Tokenizer.ESTIMATE);
        assertThat(own.suits(read)).isTrue();
        assertThat(new AcceptedWindow(0, 0, 2, read.chain(0), 10, true, Tokenizer.ESTIMATE).suits(read))
                .as("another chain")
                .isFalse();
        assertThat(new AcceptedWindow(0, 0, 4, read.chain(2), 10, true, Tokenizer.ESTIMATE).suits(read))
                .as("longer")
                .isFalse();
        assertThat(new AcceptedWindow(1, 0, 2, read.chain(1), 10, true, Tokenizer.ESTIMATE).suits(read))
                .as("begins with an answer")
                .isFalse();
        assertThat(new AcceptedWindow(0, 3, 3, read.chain(2), 10, true, Tokenizer.ESTIMATE).suits(read))
                .as("shortens the current turn")
                .isFalse();
    }

    @Test
    void whenTimeIsUpNothingMoreIsCounted() {
        for (int i = 0; i < 50; i++) {
            says("user", words(10));
        }
        Transcript read = read();
        AtomicInteger asked = new AtomicInteger();
        Fitter hasty = new Fitter(counter, () -> asked.incrementAndGet() > 5);
        assertThat(hasty.fit(read, new FitBudget(100_000, 0), null)).isEqualTo(new FitOutcome.Expired());
        assertThat(asked).hasValue(6);
    }

    @Test
    void aHistoryFarBeyondTheWindowIsNotCountedToItsBeginning() {
        for (int i = 0; i < 500; i++) {
            says("user", words(100));
        }
        AtomicInteger asked = new AtomicInteger();
        FitPlan plan = (FitPlan)
                new Fitter(counter, () -> asked.incrementAndGet() > 10_000).fit(read(), new FitBudget(2_000, 0), null);
        assertThat(plan.tokens()).isLessThanOrEqualTo(1_400);
        assertThat(asked).hasValueLessThan(40);
    }

    @Test
    void withoutTimeTheLongestSuffixThatSurelyFitsIsKept() {
        for (int i = 0; i < 20; i++) {
            says("user", words(100)).calls("c" + i, words(50));
        }
        Transcript read = read();
        long budget = counter.fixed(read).tokens() + tokens(read, 30, read.size());
        assertThat(((FitPlan) Fitter.longestSafeSuffix(read, new FitBudget(budget, 0))).firstKept())
                .isEqualTo(30);
        assertThat(((FitPlan) Fitter.longestSafeSuffix(read, new FitBudget(budget - 1, 0))).firstKept())
                .isEqualTo(33);
        assertThat(Fitter.longestSafeSuffix(read, new FitBudget(100, 0))).isInstanceOf(FitOutcome.TooLong.class);
        assertThat(((FitPlan) Fitter.longestSafeSuffix(read, FitBudget.UNKNOWN)).isWhole())
                .isTrue();
    }

    @Test
    void aModelWithoutAWindowIsSentEverything() {
        Transcript read = says("user", words(5_000)).says("user", "now").read();
        assertThat(plan(read, FitBudget.UNKNOWN.input(), 0).isWhole()).isTrue();
    }
}
