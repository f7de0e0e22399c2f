package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.recall.api.Memory;
import io.vertx.core.Future;
import org.junit.jupiter.api.Test;

/** Conversations that their clients give no name, of which several may begin with the same words. */
class UnnamedConversationsTest extends PreparationTest {

    private static final Memory KYOTO = memory("Mina moved to Kyoto");
    private static final Memory OSLO = memory("Jonas lives in Oslo");

    @Test
    void aConversationWithoutANameThatBeginsLikeAnOlderOneIsGivenWhatIsFoundNow() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));
        String older = turn(new Ask(question("What is new?")).in(null));
        recall = request -> Future.succeededFuture(found(request, hit(OSLO, 1)));

        String newer = turn(new Ask(question("What is new?")).in(null));
        PreparedTurn next =
                prepare(new Ask(request(user("What is new?"), assistant("In Kyoto."), user("Thanks"))).in(null));

        assertThat(older).contains(KYOTO.id().toString());
        assertThat(newer)
                .contains(OSLO.id().toString())
                .doesNotContain(KYOTO.id().toString());
        assertThat(sent(next)).startsWith(newer.substring(0, newer.length() - 2));
    }

    /** One whose answers are its own. */
    private final class Unnamed {
        private final String answer;
        private final boolean calls;
        private String sent = "";

        Unnamed(String answer, boolean calls) {
            this.answer = answer;
            this.calls = calls;
        }

        void turn(Memory memory, String... messages) {
            recall = request -> Future.succeededFuture(found(request, hit(memory, 1)));
            PreparedTurn turn = prepare(new Ask(request(messages)).in(null));
            String now = sent(turn);
            if (!sent.isEmpty()) {
                assertThat(now).startsWith(sent.substring(0, sent.length() - 2));
            }
            sent = now;
            await(answered(
                    turn,
                    calls
                            ? ANSWER.replace("\"content\":\"In Kyoto.\"", "\"tool_calls\":[" + call() + "]")
                            : ANSWER.replace("In Kyoto.", answer)));
        }

        String call() {
            return "{\"id\":\"" + answer
                    + "\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}";
        }

        String first() {
            return calls ? "{\"role\":\"assistant\",\"tool_calls\":[" + call() + "]}" : assistant(answer);
        }

        String result() {
            return "{\"role\":\"tool\",\"tool_call_id\":\"" + answer + "\",\"content\":\"Kyoto\"}";
        }
    }

    @Test
    void conversationsWithoutANameThatBeginAlikeEachKeepWhatTheyWereGiven() {
        Unnamed one = new Unnamed("In  Kyoto,\\n as before.", false);
        Unnamed other = new Unnamed("Where Jonas lives.", false);

        one.turn(KYOTO, user("What is new?"));
        other.turn(OSLO, user("What is new?"));
        one.turn(OSLO, user("What is new?"), assistant("In Kyoto, as before."), user("And else?"));
        other.turn(KYOTO, user("What is new?"), other.first(), user("And else?"));
        one.turn(
                KYOTO,
                user("What is new?"),
                assistant("In Kyoto, as before."),
                user("And else?"),
                assistant("In Kyoto, as before."),
                user("Thanks"));

        assertThat(one.sent.indexOf(KYOTO.id().toString())).isLessThan(one.sent.indexOf("And else?"));
        assertThat(other.sent.indexOf(OSLO.id().toString())).isLessThan(other.sent.indexOf("And else?"));
    }

    @Test
    void conversationsWithoutANameThatBeginWithACallAreToldByItsId() {
        Unnamed one = new Unnamed("call-1", true);
        Unnamed other = new Unnamed("call-2", true);

        one.turn(KYOTO, user("What is new?"));
        other.turn(OSLO, user("What is new?"));
        one.turn(OSLO, user("What is new?"), one.first(), one.result());
        other.turn(KYOTO, user("What is new?"), other.first(), other.result());

        assertThat(one.sent)
                .contains(KYOTO.id().toString())
                .doesNotContain(OSLO.id().toString());
        assertThat(other.sent)
                .contains(OSLO.id().toString())
                .doesNotContain(KYOTO.id().toString());
    }

    @Test
    void theBeginningOfAnAnswerThatTheClientPrescribesTellsNoConversationFromAnother() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));
        PreparedTurn first = prepare(new Ask(request(user("Where is Mina?"), assistant("In")))
                .anthropic()
                .in(null));
        await(
                answered(
                        first,
                        "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\" Kyoto.\"}],\"stop_reason\":\"end_turn\"}"));

        PreparedTurn next = prepare(new Ask(request(user("Where is Mina?"), assistant("In Kyoto."), user("Thanks")))
                .anthropic()
                .in(null));

        String given = sent(first);
        assertThat(given).contains(KYOTO.id().toString());
        assertThat(sent(next)).startsWith(given.substring(0, given.indexOf(", {\"role\":\"assistant\"")));
    }
}
