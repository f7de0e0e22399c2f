package io.recallgate.gateway.conversation.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.fit.AcceptedWindow;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import io.recallgate.recall.api.Injection;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LedgerTest {

    /** Users and assistants in turn. */
    private static Transcript said(String... texts) {
        StringBuilder messages = new StringBuilder();
        for (int i = 0; i < texts.length; i++) {
            messages.append(i == 0 ? "" : ",")
                    .append("{\"role\":\"" + (i % 2 == 0 ? "user" : "assistant") + "\",\"content\":\"" + texts[i]
                            + "\"}");
        }
        return Transcript.parse(
                Protocol.OPENAI,
                new RequestBody(("{\"messages\":[" + messages + "]}").getBytes(StandardCharsets.UTF_8)));
    }

    private static final UUID FIRST = new UUID(0, 0);

    /** With one memory, whose id is the message's number. */
    private static Injection at(Transcript transcript, int index, String block) {
        UUID id = new UUID(0, index);
        return new Injection(transcript.chain(index), block, List.of(id), index == 0 ? Map.of(id, "hash") : Map.of());
    }

    private static AcceptedWindow window(Transcript transcript) {
        int size = transcript.size();
        return new AcceptedWindow(0, 0, size, transcript.chain(size - 1), size, true, Tokenizer.ESTIMATE);
    }

    @Test
    void aBlockComesAgainAtItsMessageAndNowhereElse() {
        Transcript before = said("a", "b", "c");
        List<Injection> stored = List.of(at(before, 0, "A"), at(before, 2, "C"));
        Ledger ledger = ledger(stored, said("a", "b", "c", "d", "e"));
        assertThat(ledger.blocks()).isEqualTo(Map.of(0, "A", 2, "C"));
        assertThat(ledger.has(2)).isTrue();
        assertThat(ledger.has(4)).isFalse();
        assertThat(ledger.memories()).containsExactlyInAnyOrder(FIRST, new UUID(0, 2));
        assertThat(ledger.showsPinned(FIRST, "hash")).isTrue();
        assertThat(ledger.showsPinned(FIRST, "of a newer text")).isFalse();
        assertThat(ledger.showsPinned(new UUID(0, 2), "hash")).as("not pinned").isFalse();
        assertThat(ledger(stored, said("a", "x", "c")).blocks())
                .as("another answer")
                .isEqualTo(Map.of(0, "A"));
        assertThat(ledger(stored, said("z", "b", "c")).blocks())
                .as("another beginning")
                .isEmpty();
    }

    @Test
    void whatIsLeftOutIsNotSeenAnyMore() {
        Transcript read = said("a", "b", "c");
        Ledger kept = ledger(List.of(at(read, 0, "A"), at(read, 2, "C")), read).from(2);
        assertThat(kept.blocks()).isEqualTo(Map.of(2, "C"));
        assertThat(kept.memories()).containsExactly(new UUID(0, 2));
        assertThat(kept.showsPinned(FIRST, "hash")).isFalse();
    }

    @Test
    void ofTwoBlocksForOneMessageTheFirstCounts() {
        Transcript read = said("a");
        assertThat(ledger(List.of(at(read, 0, "first"), at(read, 0, "second")), read)
                        .blocks())
                .isEqualTo(Map.of(0, "first"));
    }

    @Test
    void anAnswersChainPlacesNothing() {
        Transcript read = said("a", "b");
        assertThat(ledger(List.of(at(read, 1, "B")), read).blocks()).isEmpty();
    }

    @Test
    void aConversationGoesOnWithTheLongestWindowThatIsItsOwn() {
        List<AcceptedWindow> stored = List.of(
                window(said("a")),
                window(said("a", "b", "c")),
                window(said("a", "b", "c", "d", "e")),
                window(said("a", "b", "x")),
                window(said("s")));
        assertThat(chosen(stored, said("a", "b", "c", "d", "e", "f", "g")))
                .as("append")
                .isEqualTo(5);
        assertThat(chosen(stored, said("a", "b", "c", "d", "e")))
                .as("sent again")
                .isEqualTo(5);
        assertThat(chosen(stored, said("a", "b", "c", "D", "e")))
                .as("wound back")
                .isEqualTo(3);
        assertThat(chosen(stored, said("a", "b", "x", "y", "z"))).as("branch").isEqualTo(3);
        assertThat(chosen(stored, said("a", "b", "q")))
                .as("branch that was not seen")
                .isEqualTo(1);
        assertThat(chosen(stored, said("s", "t", "u")))
                .as("a conversation of its own")
                .isEqualTo(1);
        assertThat(chosen(stored, said("n"))).as("a new one").isZero();
    }

    private static int chosen(List<AcceptedWindow> stored, Transcript transcript) {
        return Checkpoints.choose(stored, transcript)
                .map(AcceptedWindow::messages)
                .orElse(0);
    }

    @Test
    void aWindowThatDoesNotSuitGivesWayToAShorterOne() {
        Transcript read = said("a", "b", "c");
        AcceptedWindow odd = new AcceptedWindow(1, 0, 3, read.chain(2), 9, true, Tokenizer.ESTIMATE);
        assertThat(chosen(List.of(odd, window(said("a"))), read)).isEqualTo(1);
    }

    private static Ledger ledger(List<Injection> stored, Transcript transcript) {
        return Ledger.of(stored, transcript, index -> Optional.of(transcript.chain(index)));
    }
}
