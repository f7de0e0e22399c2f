package io.recallgate.gateway.conversation.reply;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An answer that is put together from its pieces, up to a bound. Not thread-safe. */
final class ReplyDraft {

    /** More text than any model writes in one answer; beyond it the answer is not remembered. */
    static final int MAX_CHARS = 4 << 20;

    private static final int MAX_CALLS = 1_000;

    private final StringBuilder text = new StringBuilder();
    private final Map<Integer, Call> calls = new TreeMap<>();
    private int chars;
    private boolean broken;
    private boolean ended;

    private static final class Call {
        private String id = "";
        private String name = "";
        private final StringBuilder arguments = new StringBuilder();
    }

    void say(String more) {
        if (fits(more)) {
            text.append(more);
        }
    }

    /** A piece of the call at {@code index}; empty pieces say nothing. */
    void call(int index, String id, String name, String arguments) {
        if (!fits(arguments) || (!calls.containsKey(index) && calls.size() == MAX_CALLS)) {
            broken = true;
            return;
        }
        Call call = calls.computeIfAbsent(index, first -> new Call());
        if (!id.isEmpty()) {
            call.id = id;
        }
        if (!name.isEmpty()) {
            call.name = name;
        }
        call.arguments.append(arguments);
    }

    private boolean fits(String more) {
        chars += more.length();
        broken |= chars > MAX_CHARS;
        return !broken;
    }

    /** The model said that it is done. */
    void end() {
        ended = true;
    }

    /** It is none that could be remembered. */
    void fail() {
        broken = true;
    }

    boolean isWhole() {
        return ended && !broken;
    }

    AssistantReply reply() {
        List<ToolCall> called = new ArrayList<>();
        calls.values().forEach(call -> called.add(new ToolCall(call.id, call.name, call.arguments.toString())));
        return new AssistantReply(text.toString(), called);
    }
}
