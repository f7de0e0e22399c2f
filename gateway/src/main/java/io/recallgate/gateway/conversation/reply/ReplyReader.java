package io.recallgate.gateway.conversation.reply;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.ResponseTap;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads one answer. Pieces are taken on the request's event loop, at the cost of reading an event of a stream; a whole
 * answer is kept and read when {@link #reply} is asked for, which may be on a worker.
 */
public final class ReplyReader implements ResponseTap {

    /** A whole answer that is longer is not remembered. */
    static final int MAX_WHOLE_BYTES = 8 << 20;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DONE = "[DONE]";

    private final Protocol protocol;
    private final boolean streamed;
    private final ReplyDraft draft = new ReplyDraft();
    private final EventLines lines = new EventLines(this::event, draft::fail);
    private Buffer whole = Buffer.buffer();
    private boolean ended;

    /** @param contentType of the answer; a stream of events is told by it */
    public ReplyReader(Protocol protocol, String contentType) {
        this.protocol = protocol;
        this.streamed = contentType.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    @Override
    public void chunk(Buffer piece) {
        if (streamed) {
            lines.take(piece);
        } else if (whole.length() + piece.length() > MAX_WHOLE_BYTES) {
            draft.fail();
            whole = Buffer.buffer();
        } else {
            whole.appendBuffer(piece);
        }
    }

    @Override
    public void end() {
        ended = true;
        if (streamed) {
            lines.end();
        }
    }

    /** How many bytes {@link #reply} has still to read. */
    public long unreadBytes() {
        return whole.length();
    }

    /** What the model answered; empty unless it is all there and can be read. Called once, after the end. */
    public Optional<AssistantReply> reply() {
        if (!ended) {
            return Optional.empty();
        }
        if (!streamed) {
            readWhole();
        }
        return draft.isWhole() ? Optional.of(draft.reply()) : Optional.empty();
    }

    private void event(String data) {
        if (data.isEmpty() || data.equals(DONE)) {
            return;
        }
        try {
            JsonNode event = JSON.readTree(data);
            if (protocol == Protocol.OPENAI) {
                OpenAiReplies.chunk(event, draft);
            } else {
                AnthropicReplies.event(event, draft);
            }
        } catch (JsonProcessingException e) {
            draft.fail();
        }
    }

    private void readWhole() {
        try {
            JsonNode answer = JSON.readTree(whole.getBytes());
            if (protocol == Protocol.OPENAI) {
                OpenAiReplies.whole(answer, draft);
            } else {
                AnthropicReplies.whole(answer, draft);
            }
        } catch (IOException e) {
            draft.fail();
        }
    }
}
