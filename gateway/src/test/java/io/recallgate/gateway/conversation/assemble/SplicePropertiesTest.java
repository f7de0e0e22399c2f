package io.recallgate.gateway.conversation.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.History;
import io.recallgate.gateway.conversation.Rendering;
import io.recallgate.gateway.conversation.fit.FitBudget;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.Fitter;
import io.recallgate.gateway.conversation.fit.TokenCache;
import io.recallgate.gateway.conversation.fit.TokenCounter;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.transcript.ContentForm;
import io.recallgate.gateway.conversation.transcript.Span;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import io.recallgate.gateway.conversation.window.Ledger;
import io.recallgate.recall.api.Injection;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What holds of the bytes that are sent, for every history, cut and set of memories. */
class SplicePropertiesTest {

    private static final TokenCounter COUNTER = new TokenCounter(Tokenizer.ESTIMATE, new TokenCache(0));

    private static byte[] bytes(Splice splice) {
        Buffer all = Buffer.buffer();
        splice.body().forEach(all::appendBuffer);
        return all.getBytes();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static SortedMap<Integer, String> blocks(History history, Transcript transcript, Random random) {
        SortedMap<Integer, String> blocks = new TreeMap<>();
        for (int i = 0; i < transcript.size(); i++) {
            if (transcript.entry(i).userTurn() && random.nextBoolean()) {
                List<MemoryFrame.Item> items = List.of(new MemoryFrame.Item("m" + i, null, null, history.text(20)));
                blocks.put(i, MemoryFrame.of(List.of(), items, 10_000).text());
            }
        }
        return blocks;
    }

    private static History history(Protocol protocol, int turns, Random random) {
        History history = History.of(protocol, turns, random);
        history.open();
        return history;
    }

    @Property
    void theBytesAreARequestThatSaysWhatThePlanAndTheBlocksSay(
            @ForAll Protocol protocol,
            @ForAll @IntRange(min = 0, max = 8) int turns,
            @ForAll @IntRange(min = 500, max = 20_000) int budget,
            @ForAll long seed) {
        Random random = new Random(seed);
        History history = history(protocol, turns, random);
        Transcript client = Rendering.marked(random).transcript(history);
        if (!(new Fitter(COUNTER, () -> false).fit(client, new FitBudget(budget, 0), null) instanceof FitPlan plan)) {
            return;
        }
        SortedMap<Integer, String> blocks = blocks(history, client, random);
        Splice splice = Splice.of(client, plan, blocks);
        byte[] sent = bytes(splice);
        Transcript read = Transcript.parse(protocol, new RequestBody(sent));
        // Instructions before what is kept have become its beginning, which is none of the entries.
        assertThat(read.size()).isEqualTo(client.size() - plan.firstKept());
        assertThat(read.fixed().instructions())
                .extracting(span -> cut(read, span))
                .isEqualTo(client.fixed().instructions().stream()
                        .map(span -> cut(client, span))
                        .toList());
        assertThat(splice.refused()).isEmpty();
        assertThat(splice.injected()).isEqualTo(blocks.tailMap(plan.firstKept()).keySet());
        int same = 0;
        while (same < Math.min(sent.length, client.body().length())
                && sent[same] == client.body().bytes()[same]) {
            same++;
        }
        assertThat(same).as("bytes before the first change").isGreaterThanOrEqualTo(firstChange(client, plan, splice));
        long added = 0;
        for (int i = plan.firstKept(); i < client.size(); i++) {
            String block = splice.injected().contains(i) ? blocks.get(i) : null;
            int at = i - plan.firstKept();
            if (block != null) {
                String separator =
                        client.protocol() == Protocol.OPENAI && client.entry(i).form() == ContentForm.STRING
                                ? "\n\n"
                                : "\n";
                assertThat(read.text(at)).isEqualTo(client.text(i) + separator + block);
                added += COUNTER.block(block).tokens() + 8;
            } else if (i >= plan.shortenedUntil()) {
                assertThat(span(read, at)).as("message " + i).isEqualTo(span(client, i));
            }
        }
        if (new Fitter(COUNTER, () -> false).fit(read, FitBudget.UNKNOWN, null) instanceof FitPlan whole) {
            assertThat(whole.tokens()).isLessThanOrEqualTo(plan.tokens() + added);
        }
    }

    private static int firstChange(Transcript client, FitPlan plan, Splice splice) {
        int first = client.body().length();
        if (plan.firstKept() > 0) {
            first = client.entry(0).whole().start();
            for (int i = 0; client.entry(i).isInstruction(); i++) {
                first = client.entry(i + 1).whole().start();
            }
        }
        if (!plan.shortenings(client).isEmpty()) {
            first = Math.min(first, plan.shortenings(client).get(0).cut().start());
        }
        for (int index : splice.injected()) {
            first = Math.min(first, client.entry(index).content().start());
        }
        return first;
    }

    private static String span(Transcript transcript, int index) {
        return cut(transcript, transcript.entry(index).whole());
    }

    private static String content(Transcript transcript, int index) {
        return cut(transcript, transcript.entry(index).content());
    }

    private static String cut(Transcript transcript, Span span) {
        return new String(transcript.body().bytes(), span.start(), span.length(), StandardCharsets.UTF_8);
    }

    @Property
    void withoutTheInjectedBytesTheClientsBytesAreLeft(
            @ForAll Protocol protocol, @ForAll @IntRange(min = 0, max = 8) int turns, @ForAll long seed) {
        Random random = new Random(seed);
        History history = history(protocol, turns, random);
        Transcript client = Rendering.marked(random).transcript(history);
        // A word that no history has marks where what is injected begins and ends.
        SortedMap<Integer, String> blocks = new TreeMap<>();
        for (int i = 0; i < client.size(); i++) {
            if (client.entry(i).userTurn()) {
                blocks.put(i, "ZZZ" + i + "ZZZ");
            }
        }
        String sent = text(bytes(Splice.of(client, FitPlan.WHOLE, blocks)));
        for (int i : blocks.keySet()) {
            String block = "{\"type\":\"text\",\"text\":\"ZZZ" + i + "ZZZ\"}";
            if (client.entry(i).form() == ContentForm.ARRAY) {
                sent = sent.replace("," + block, "");
            } else if (protocol == Protocol.OPENAI) {
                sent = sent.replace("\\n\\nZZZ" + i + "ZZZ", "");
            } else {
                String content = content(client, i);
                sent = sent.replace("[{\"type\":\"text\",\"text\":" + content + "}," + block + "]", content);
            }
        }
        assertThat(sent).isEqualTo(text(client.body().bytes()));
    }

    @Property
    void theNextTurnSendsTheSameBytesBeforeWhatIsNew(
            @ForAll Protocol protocol,
            @ForAll @IntRange(min = 0, max = 6) int turns,
            @ForAll @IntRange(min = 2_000, max = 20_000) int budget,
            @ForAll long seed) {
        Random random = new Random(seed);
        History history = history(protocol, turns, random);
        Transcript first = Rendering.plain().transcript(history);
        Fitter fitter = new Fitter(COUNTER, () -> false);
        if (!(fitter.fit(first, new FitBudget(budget, 0), null) instanceof FitPlan plan)) {
            return;
        }
        SortedMap<Integer, String> blocks = blocks(history, first, random);
        byte[] before = bytes(Splice.of(first, plan, blocks));
        List<Injection> stored = new ArrayList<>();
        blocks.forEach((index, block) -> stored.add(new Injection(first.chain(index), block, List.of(), Map.of())));

        history.open();
        Transcript second = Rendering.plain().transcript(history);
        FitBudget ample = new FitBudget(1_000_000, 0);
        FitPlan next = (FitPlan) fitter.fit(second, ample, plan.window(first, Tokenizer.ESTIMATE));
        assertThat(next.accepted()).isTrue();
        Ledger ledger = Ledger.of(stored, second, index -> Optional.of(second.chain(index)));
        assertThat(ledger.blocks()).isEqualTo(blocks);
        byte[] after =
                bytes(Splice.of(second, next, ledger.from(next.firstKept()).blocks()));
        // Up to the bracket that closed the first request's messages.
        Transcript sent = Transcript.parse(protocol, new RequestBody(before));
        int shared = sent.entry(sent.size() - 1).whole().end();
        assertThat(new String(after, 0, shared, StandardCharsets.UTF_8))
                .isEqualTo(new String(before, 0, shared, StandardCharsets.UTF_8));
    }
}
