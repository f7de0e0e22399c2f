package io.recallgate.gateway.cli.bench.sessions;

import io.vertx.core.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * One conversation of a made-up agent as its client has it: turns of a question, rounds of tools and an answer, all of it from a
 * seed. Used by one thread at a time.
 */
final class AgentSession {

    private final String name;
    private final ClientProtocol protocol;
    private final AgentTexts texts;
    private final List<Message> messages = new ArrayList<>();

    private byte[] bytes = new byte[1 << 20];
    private int length;
    private int steps;
    private int rounds;
    private AgentReply last = new AgentReply("", "", List.of());

    /** What a message is. */
    enum Kind {
        /** A user speaks: a conversation may begin here. */
        QUESTION,
        /** Of a model. */
        ANSWER,
        /** Of tools: cannot be without the answer before it. */
        RESULTS
    }

    /**
     * One message.
     *
     * @param text what a user says, as JSON; empty for others
     * @param json all of it
     */
    @SuppressWarnings("ArrayRecordComponent") // bytes that go from hand to hand
    record Message(Kind kind, String text, byte[] json) {}

    /**
     * One request.
     *
     * @param step of the session, from 0
     * @param question whether a user speaks in it, rather than tools
     * @param body all of it
     * @param messages how many it has
     * @param reply that is to come
     * @param added keys of what this request says that was not said before
     */
    @SuppressWarnings("ArrayRecordComponent") // bytes that go from hand to hand
    record Ask(int step, boolean question, byte[] body, int messages, AgentReply reply, List<String> added) {

        /** Copies the list, not the body. */
        Ask {
            added = List.copyOf(added);
        }
    }

    AgentSession(String name, ClientProtocol protocol, long seed) {
        this.name = name;
        this.protocol = protocol;
        this.texts = new AgentTexts(seed * 31 + name.hashCode());
        append(protocol.opening().getBytes(StandardCharsets.UTF_8));
    }

    String name() {
        return name;
    }

    ClientProtocol protocol() {
        return protocol;
    }

    /** What was said so far, the oldest first. */
    List<Message> messages() {
        return Collections.unmodifiableList(messages);
    }

    /** Goes on without asking anybody, to the end of a turn, until there are at least so many messages. */
    void growTo(int count) {
        while (messages.size() < count || !last.calls().isEmpty()) {
            next();
            answered();
        }
    }

    /** The next request. It is answered before there is another. */
    Ask ask() {
        List<String> added = next();
        byte[] closing = protocol.closing().getBytes(StandardCharsets.UTF_8);
        byte[] body = Arrays.copyOf(bytes, length + closing.length);
        System.arraycopy(closing, 0, body, length, closing.length);
        return new Ask(steps - 1, added.get(0).startsWith("q "), body, messages.size(), last, added);
    }

    /** The client has its answer. */
    void answered() {
        add(Kind.ANSWER, "", protocol.assistant(last));
    }

    private List<String> next() {
        List<String> added = new ArrayList<>();
        String key = name + "/" + steps;
        if (last.calls().isEmpty()) {
            rounds = texts.rounds();
            String text = "[q " + key + "] " + texts.question();
            add(Kind.QUESTION, Json.encode(text), protocol.user(text));
            added.add("q " + key);
        } else {
            List<String> outputs =
                    last.calls().stream().map(call -> texts.output()).toList();
            protocol.results(last, outputs).forEach(message -> add(Kind.RESULTS, "", message));
            for (int i = 0; i < outputs.size(); i++) {
                added.add("t " + last.key() + "/" + i);
            }
        }
        last = AgentReply.of(key, rounds-- > 0);
        steps++;
        return added;
    }

    private void add(Kind kind, String text, String json) {
        byte[] encoded = json.getBytes(StandardCharsets.UTF_8);
        if (!messages.isEmpty()) {
            append(new byte[] {','});
        }
        append(encoded);
        messages.add(new Message(kind, text, encoded));
    }

    private void append(byte[] more) {
        if (length + more.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more.length));
        }
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }
}
