package io.recallgate.gateway.conversation.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.Protocol;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyReaderTest {

    private static final String EVENTS = "text/event-stream; charset=utf-8";

    private static final String OPENAI_STREAM = String.join(
            "\n\n",
            "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}",
            ": a comment",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Mina lives in 京都\"}}]}",
            "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"another choice\"}}]}",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" 🏯.\"}}]}",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"t1\","
                    + "\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"q\\\":\"}}]}}]}",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"t2\","
                    + "\"function\":{\"name\":\"list\",\"arguments\":\"{}\"}},{\"index\":0,"
                    + "\"function\":{\"arguments\":\"1}\"}}]}}]}",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
            "data: {\"choices\":[],\"usage\":{\"total_tokens\":9}}",
            "data: [DONE]",
            "");

    private static final String ANTHROPIC_STREAM = String.join(
            "\n\n",
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]}}",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
                    + "\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
                    + "\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}",
            "event: ping\ndata: {\"type\":\"ping\"}",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,"
                    + "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,"
                    + "\"delta\":{\"type\":\"text_delta\",\"text\":\"Mina lives in 京都 🏯.\"}}",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,"
                    + "\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"look\",\"input\":{}}}",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,"
                    + "\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"q\\\":\"}}",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,"
                    + "\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}",
            "event: what_comes_next\ndata: {\"type\":\"what_comes_next\"}",
            "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}",
            "event: message_stop\ndata: {\"type\":\"message_stop\"}",
            "");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64, 100_000})
    void aStreamIsReadWhereverItsPiecesAreCut(int bytes) {
        assertThat(read(Protocol.OPENAI, EVENTS, OPENAI_STREAM, bytes))
                .contains(new AssistantReply(
                        "Mina lives in 京都 🏯.",
                        List.of(new ToolCall("t1", "look", "{\"q\":1}"), new ToolCall("t2", "list", "{}"))));
        assertThat(read(Protocol.ANTHROPIC, EVENTS, ANTHROPIC_STREAM, bytes))
                .contains(new AssistantReply("Mina lives in 京都 🏯.", List.of(new ToolCall("t1", "look", "{\"q\":1}"))));
    }

    @Test
    void linesMayEndInAnyOfTheThreeWays() {
        for (String end : List.of("\r\n", "\r")) {
            assertThat(read(Protocol.OPENAI, EVENTS, OPENAI_STREAM.replace("\n", end), 5))
                    .map(AssistantReply::text)
                    .contains("Mina lives in 京都 🏯.");
        }
    }

    @Test
    void aWholeAnswerIsReadInBothProtocols() {
        assertThat(read(
                        Protocol.OPENAI,
                        "application/json",
                        "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\","
                                + "\"content\":\"hi\",\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\","
                                + "\"arguments\":\"{}\"}},{\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"[]\"}}]}}]}",
                        9))
                .contains(
                        new AssistantReply("hi", List.of(new ToolCall("a", "f", "{}"), new ToolCall("b", "g", "[]"))));
        assertThat(read(
                        Protocol.ANTHROPIC,
                        "application/json",
                        "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"tool_use\","
                                + "\"id\":\"a\",\"name\":\"f\",\"input\":{\"x\":[1]}}]}",
                        9))
                .contains(new AssistantReply("hi", List.of(new ToolCall("a", "f", "{\"x\":[1]}"))));
    }

    @Test
    void whatTheModelSaysInsteadOfAnAnswerIsItsAnswer() {
        assertThat(read(
                        Protocol.OPENAI,
                        "application/json",
                        "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":null,\"refusal\":\"no\"}}]}",
                        100))
                .map(AssistantReply::text)
                .contains("no");
    }

    @Test
    void anAnswerThatIsNotWholeIsNone() {
        String cutOpenAi =
                OPENAI_STREAM.substring(0, OPENAI_STREAM.indexOf("data: {\"choices\":[{\"index\":0,\"delta\":{},"));
        String cutAnthropic = ANTHROPIC_STREAM.substring(0, ANTHROPIC_STREAM.indexOf("event: message_stop"));

        assertThat(read(Protocol.OPENAI, EVENTS, cutOpenAi, 50)).isEmpty();
        assertThat(read(Protocol.ANTHROPIC, EVENTS, cutAnthropic, 50)).isEmpty();
        assertThat(read(Protocol.OPENAI, "application/json", "{\"choices\":[{\"message\":{\"content\":\"x\"}}]}", 50))
                .isEmpty();
        assertThat(read(Protocol.ANTHROPIC, "application/json", "{\"type\":\"error\",\"error\":{}}", 50))
                .isEmpty();
        assertThat(read(Protocol.OPENAI, "application/json", "not json", 50)).isEmpty();
        assertThat(read(Protocol.OPENAI, EVENTS, OPENAI_STREAM + "data: {broken\n\n", 50))
                .isEmpty();
    }

    @Test
    void aStreamThatTellsOfAnErrorIsNoAnswerThoughItEndsWell() {
        assertThat(read(Protocol.OPENAI, EVENTS, "data: {\"error\":{\"message\":\"x\"}}\n\n" + OPENAI_STREAM, 50))
                .isEmpty();
        assertThat(read(
                        Protocol.ANTHROPIC,
                        EVENTS,
                        "event: error\ndata: {\"type\":\"error\",\"error\":{}}\n\n" + ANTHROPIC_STREAM,
                        50))
                .isEmpty();
    }

    @Test
    void anAnswerThatNobodyEndedIsNone() {
        ReplyReader reader = new ReplyReader(Protocol.OPENAI, EVENTS);
        reader.chunk(Buffer.buffer(OPENAI_STREAM));

        assertThat(reader.reply()).isEmpty();
    }

    @Test
    void anAnswerOfMoreThanItsBoundIsNotKept() {
        ReplyReader whole = new ReplyReader(Protocol.OPENAI, "application/json");
        Buffer piece = Buffer.buffer(new byte[1 << 20]);
        for (int i = 0; i < 20; i++) {
            whole.chunk(piece);
            assertThat(whole.unreadBytes()).isLessThanOrEqualTo(ReplyReader.MAX_WHOLE_BYTES);
        }
        whole.end();
        assertThat(whole.reply()).isEmpty();

        ReplyReader line = new ReplyReader(Protocol.OPENAI, EVENTS);
        line.chunk(Buffer.buffer("data: ").appendBuffer(Buffer.buffer(new byte[EventLines.MAX_LINE_BYTES + 1])));
        line.chunk(Buffer.buffer("\n\n" + OPENAI_STREAM));
        line.end();
        assertThat(line.reply()).isEmpty();

        String chunk =
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + "x".repeat(500_000) + "\"}}]}\n\n";
        assertThat(read(Protocol.OPENAI, EVENTS, chunk.repeat(9) + OPENAI_STREAM, 1 << 16))
                .isEmpty();
        assertThat(read(Protocol.OPENAI, EVENTS, chunk.repeat(7) + OPENAI_STREAM, 1 << 16))
                .isPresent();
    }

    private static Optional<AssistantReply> read(Protocol protocol, String contentType, String answer, int pieceBytes) {
        ReplyReader reader = new ReplyReader(protocol, contentType);
        Buffer bytes = Buffer.buffer(answer);
        for (int from = 0; from < bytes.length(); from += pieceBytes) {
            reader.chunk(bytes.getBuffer(from, Math.min(bytes.length(), from + pieceBytes)));
        }
        reader.end();
        return reader.reply();
    }
}
