package io.recallgate.gateway.conversation.transcript;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * A request as it was read. Its entries are the conversation's messages in order; instructions with which an OpenAI
 * conversation begins are none of them, so that the position of a message does not depend on how many there are. Later ones are. Immutable, and
 * holds the body.
 */
public final class Transcript {

    private final Protocol protocol;
    private final RequestBody body;
    private final RequestOptions options;
    private final Fixed fixed;
    private final List<Entry> entries;
    private final byte[] chains;
    private final BitSet severing;
    private final int currentTurn;

    Transcript(
            Protocol protocol,
            RequestBody body,
            RequestOptions options,
            Fixed fixed,
            List<Entry> entries,
            byte[] chains) {
        this.protocol = protocol;
        this.body = body;
        this.options = options;
        this.fixed = fixed;
        this.entries = List.copyOf(entries);
        this.chains = chains;
        this.severing = severing(this.entries);
        this.currentTurn = lastTurn(this.entries, this.severing);
    }

    /**
     * Reads a request, once. What it does not know it passes over: unknown fields, blocks and roles are the provider's affair.
     *
     * @throws io.recallgate.failure.FailureException {@code invalid-json}, {@code invalid-field} or {@code invalid-text}, with
     *     the field where there is one
     */
    public static Transcript parse(Protocol protocol, RequestBody body) {
        return new BodyReader(protocol, body).read();
    }

    /** Before which messages a cut would part a call from its result. A result belongs to the last call with its id. */
    private static BitSet severing(List<Entry> entries) {
        BitSet severing = new BitSet();
        Map<String, Integer> called = new HashMap<>();
        for (int i = 0; i < entries.size(); i++) {
            for (String result : entries.get(i).results()) {
                Integer call = called.get(result);
                if (call != null) {
                    severing.set(call + 1, i + 1);
                }
            }
            for (String call : entries.get(i).calls()) {
                called.put(call, i);
            }
        }
        return severing;
    }

    private static int lastTurn(List<Entry> entries, BitSet severing) {
        for (int i = entries.size() - 1; i > 0; i--) {
            if (entries.get(i).userTurn() && !severing.get(i)) {
                return i;
            }
        }
        return 0;
    }

    /** Whose interface it speaks. */
    public Protocol protocol() {
        return protocol;
    }

    /** The bytes in which all spans are. */
    public RequestBody body() {
        return body;
    }

    /** What it asks for beside its messages. */
    public RequestOptions options() {
        return options;
    }

    /** What goes along with every turn. */
    public Fixed fixed() {
        return fixed;
    }

    /** The conversation's messages in order. */
    public List<Entry> entries() {
        return entries;
    }

    /** How many messages the conversation has. */
    public int size() {
        return entries.size();
    }

    /** One message of the conversation. */
    public Entry entry(int index) {
        return entries.get(index);
    }

    /** The digest of the conversation up to a message and with it: 64 hexadecimal digits. */
    public String chain(int index) {
        int start = index * ChainDigest.LENGTH;
        return HexFormat.of().formatHex(chains, start, start + ChainDigest.LENGTH);
    }

    /** Whether a conversation that ended with message {@code index} had this chain; not for an index that there is not. */
    public boolean hasChain(int index, String chain) {
        return index >= 0 && index < size() && chain(index).equals(chain);
    }

    /**
     * Whether the conversation may begin with this message: a user speaks in it, and no call before it has its result in it or
     * after it. The first message always may: the client chose it.
     */
    public boolean mayBegin(int index) {
        return index == 0 || (index < size() && entry(index).userTurn() && !severing.get(index));
    }

    /**
     * Where the current turn begins: the last message of a user with which the conversation {@link #mayBegin}; 0 when there is
     * none.
     */
    public int currentTurn() {
        return currentTurn;
    }

    /**
     * What is said in a message: its texts, each on lines of its own, without tools' results and without thoughts. Decoded for
     * each call.
     */
    public String text(int index) {
        Entry entry = entry(index);
        if (entry.form() != ContentForm.STRING && entry.form() != ContentForm.ARRAY) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        try (JsonParser parser = BodyParser.part(body.bytes(), entry.content())) {
            if (parser.nextToken() == JsonToken.VALUE_STRING) {
                return parser.getText();
            }
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                append(text, parser);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("bytes that were JSON before are none now", e);
        }
        return text.toString();
    }

    /** Adds what a block's own field {@code text} says. */
    private static void append(StringBuilder text, JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return;
        }
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String field = parser.currentName();
            if (parser.nextToken() == JsonToken.VALUE_STRING && field.equals("text")) {
                text.append(text.isEmpty() ? "" : "\n").append(parser.getText());
            } else {
                parser.skipChildren();
            }
        }
    }

    @Override
    public String toString() {
        return protocol + " request of " + size() + " messages, " + body.length() + " bytes";
    }
}
