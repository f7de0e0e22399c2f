package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.prepare.OwedTurns.Owed;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import io.recallgate.recall.api.Scope;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwedTurnsTest {

    private static final Scope BOB = new Scope("bob", "");

    private final Transcript conversation = transcript("Hi", "Hello", "More");
    private final Owed turn = new Owed(0, 1, conversation.chain(0));

    private static Transcript transcript(String... texts) {
        StringBuilder messages = new StringBuilder();
        for (String text : texts) {
            messages.append(messages.isEmpty() ? "" : ",")
                    .append("{\"role\":\"user\",\"content\":\"")
                    .append(text)
                    .append("\"}");
        }
        return Transcript.parse(
                Protocol.OPENAI,
                new RequestBody(
                        Buffer.buffer("{\"messages\":[" + messages + "]}").getBytes()));
    }

    @Test
    void onlyAConversationThatHasTheTurnOwesIt() {
        OwedTurns owed = new OwedTurns(10);
        owed.owe(Scope.LOCAL, "s", turn);

        assertThat(owed.of(Scope.LOCAL, "s", conversation)).containsExactly(turn);
        assertThat(owed.of(Scope.LOCAL, "s", transcript("Hey", "Hello", "More")))
                .isEmpty();
        assertThat(owed.of(Scope.LOCAL, "t", conversation)).isEmpty();
        assertThat(owed.of(BOB, "s", conversation)).isEmpty();
    }

    @Test
    void whatIsPaidIsNotOwedAndTheSameTurnTwiceIsOwedOnce() {
        OwedTurns owed = new OwedTurns(10);
        owed.owe(Scope.LOCAL, "s", turn);
        owed.owe(Scope.LOCAL, "s", turn);
        assertThat(owed.of(Scope.LOCAL, "s", conversation)).hasSize(1);

        owed.paid(BOB, "s", List.of(turn));
        owed.paid(Scope.LOCAL, "s", List.of(turn));

        assertThat(owed.of(Scope.LOCAL, "s", conversation)).isEmpty();
        assertThat(owed.size()).isZero();
    }

    @Test
    void turnsAndConversationsAreBounded() {
        OwedTurns owed = new OwedTurns(2);
        for (int i = 0; i <= OwedTurns.MAX_TURNS; i++) {
            owed.owe(Scope.LOCAL, "s", new Owed(i, 1, conversation.chain(0)));
        }
        assertThat(owed.of(Scope.LOCAL, "s", conversation))
                .hasSize(OwedTurns.MAX_TURNS)
                .doesNotContain(turn);

        owed.owe(Scope.LOCAL, "t", turn);
        owed.owe(Scope.LOCAL, "u", turn);

        assertThat(owed.of(Scope.LOCAL, "s", conversation)).isEmpty();
        assertThat(owed.size()).isEqualTo(2);
    }
}
