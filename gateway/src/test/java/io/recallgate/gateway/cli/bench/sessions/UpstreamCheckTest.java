package io.recallgate.gateway.cli.bench.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.bench.sessions.AgentSession.Ask;
import io.recallgate.gateway.cli.bench.sessions.AgentSession.Kind;
import io.recallgate.gateway.cli.bench.sessions.AgentSession.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The checker of the workload finds what it is there to find: each case breaks one request in one way. */
@ParameterizedClass
@EnumSource(ClientProtocol.class)
class UpstreamCheckTest {

    private static final String BLOCK =
            "<recalled_memories>\\nPinned:\\n[id 1] one\\n[id 2] two\\n</recalled_memories>";

    private final Violations violations = new Violations();
    private final AgentSession session;
    private final UpstreamCheck check;
    private Ask ask;

    UpstreamCheckTest(ClientProtocol protocol) {
        session = new AgentSession("checked", protocol, 1);
        session.growTo(120);
        check = new UpstreamCheck(session, violations);
        ask = session.ask();
    }

    @BeforeEach
    void aUserSpeaks() {
        assertThat(ask.question()).isTrue();
    }

    @Test
    void theClientsOwnBytesAreRight() {
        look(sent(0, same()), "0");

        assertThat(violations.told()).isEmpty();
    }

    @Test
    void aWindowThatBeginsWithAUserIsRightAndOneThatPartsAPairIsNot() {
        look(sent(next(Kind.QUESTION, 1), same()), "0");
        assertThat(violations.told()).isEmpty();

        look(sent(next(Kind.RESULTS, 1), same()), "0");
        assertThat(violations.told()).singleElement().asString().contains("which is no user's");
    }

    @Test
    void aMessageThatIsLeftOutInTheMiddleIsFound() {
        String body = sent(0, same());
        String gone = json(next(Kind.ANSWER, 10)) + ",";
        look(body.replace(gone, ""), "0");

        assertThat(violations.count()).isPositive();
    }

    @Test
    void oneByteMoreBeforeTheMessagesOrBehindThemIsFound() {
        look(sent(0, same()).replace("x_bench", "X_bench"), "0");
        look(sent(0, same()) + " ", "0");

        assertThat(violations.told()).hasSize(2);
    }

    @Test
    void aChangedAnswerIsFound() {
        int answer = next(Kind.ANSWER, 20);
        look(sent(0, (index, text) -> index == answer ? text.replace("assistant", "Assistant") : text), "0");

        assertThat(violations.told()).singleElement().asString().contains("the answer in message " + answer);
    }

    @Test
    void memoriesBelongToTheNewestMessageAndAreTheSameInTheNextTurn() {
        int newest = ask.messages() - 1;
        look(sent(0, block(newest, BLOCK)), "2");
        session.answered();
        ask = session.ask();
        look(sent(0, block(newest, BLOCK)), ask.question() ? "0" : "2");
        assertThat(violations.told()).isEmpty();

        look(sent(0, block(newest, BLOCK.replace("two", "three"))), ask.question() ? "0" : "2");
        assertThat(violations.told()).singleElement().asString().contains("the same memories again");
    }

    @Test
    void aTurnThatWasKilledMayLoseItsMemoriesOnceAndNoOtherMay() {
        int newest = ask.messages() - 1;
        look(sent(0, block(newest, BLOCK)), "2");
        session.answered();
        ask = session.ask();
        check.killed();
        look(sent(0, same()), "0");
        assertThat(violations.told()).isEmpty();
        assertThat(check.lost()).isOne();

        look(sent(0, block(newest, BLOCK)), ask.question() ? "0" : "2");
        assertThat(violations.told()).singleElement().asString().contains("the same memories again");
    }

    @Test
    void memoriesInAnOldMessageAreFoundAndSoIsAWrongNumberOfThem() {
        look(sent(0, block(next(Kind.QUESTION, 5), BLOCK)), "0");
        assertThat(violations.told()).singleElement().asString().contains("after it was sent without");

        look(sent(0, block(ask.messages() - 1, BLOCK)), "3");
        assertThat(violations.told()).last().asString().contains("and 2 were sent");
    }

    @Test
    void aFrameThatIsClosedByWhatStandsInItIsFound() {
        look(sent(0, block(ask.messages() - 1, BLOCK.replace("two", "</recalled_memories>"))), "2");

        assertThat(violations.count()).isPositive();
    }

    @Test
    void aLongOutputMayLackItsMiddleIfItSaysHowMuch() {
        String original = "{\"content\":\"" + "abc\\n".repeat(500) + "\"}";
        String head = original.substring(0, 400);
        String tail = original.substring(original.length() - 100);
        String middle = original.substring(400, original.length() - 100);
        int characters = middle.replace("\\n", "n").length();

        assertThat(UpstreamCheck.isShortened(original, head + mark(characters) + tail))
                .isTrue();
        assertThat(UpstreamCheck.isShortened(original, head + mark(characters + 1_000) + tail))
                .isFalse();
        assertThat(UpstreamCheck.isShortened(original, head + tail)).isFalse();
        assertThat(UpstreamCheck.isShortened(original, "x" + head + mark(characters) + tail))
                .isFalse();
    }

    private static String mark(int characters) {
        return "\\n[… " + characters + " characters left out by recallgate …]\\n";
    }

    /** What becomes of one message. */
    @FunctionalInterface
    private interface Change {
        String of(int index, String json);
    }

    private static Change same() {
        return (index, json) -> json;
    }

    private Change block(int of, String block) {
        return (index, json) -> index == of
                ? session.protocol().beforeBlock(session.messages().get(index).text())
                        + block
                        + session.protocol().afterBlock()
                : json;
    }

    private String sent(int from, Change change) {
        StringBuilder body = new StringBuilder(session.protocol().opening());
        for (int i = from; i < ask.messages(); i++) {
            body.append(i == from ? "" : ",").append(change.of(i, json(i)));
        }
        return body.append(session.protocol().closing()).toString();
    }

    private String json(int index) {
        return new String(session.messages().get(index).json(), StandardCharsets.UTF_8);
    }

    private int next(Kind kind, int from) {
        List<Message> messages = session.messages();
        int index = from;
        while (messages.get(index).kind() != kind) {
            index++;
        }
        return index;
    }

    private void look(String body, String memories) {
        check.check(ask, body.getBytes(StandardCharsets.UTF_8), "full", memories, false);
    }
}
