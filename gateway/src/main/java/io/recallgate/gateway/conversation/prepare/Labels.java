package io.recallgate.gateway.conversation.prepare;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is told of a preparation in headers of the answer. */
final class Labels {

    private static final String SESSION = "x-recallgate-session";
    private static final String MEMORIES = "x-recallgate-memories";
    private static final String MEMORY_IDS = "x-recallgate-memory-ids";
    private static final String WINDOW = "x-recallgate-window";
    private static final String DEGRADED = "x-recallgate-degraded";
    private static final String LEFT_OUT = "x-recallgate-messages-left-out";
    private static final String RECALL = "x-recallgate-recall-id";

    private final Map<String, String> headers = new TreeMap<>();
    private final TreeSet<String> reasons = new TreeSet<>();

    void session(String session) {
        headers.put(SESSION, session);
    }

    void recall(String id) {
        headers.put(RECALL, id);
    }

    /** Why there is less than there could be; more than one reason is possible. */
    void degraded(String reason) {
        reasons.add(reason);
    }

    /** The memories that this turn was given. */
    void memories(List<String> ids) {
        headers.put(MEMORIES, Integer.toString(ids.size()));
        if (ids.isEmpty()) {
            headers.remove(MEMORY_IDS);
        } else {
            headers.put(MEMORY_IDS, String.join(",", ids));
        }
    }

    void window(Rung rung, int leftOut) {
        headers.put(WINDOW, rung.label());
        if (leftOut > 0) {
            headers.put(LEFT_OUT, Integer.toString(leftOut));
        }
    }

    Map<String, String> headers() {
        Map<String, String> all = new TreeMap<>(headers);
        if (!reasons.isEmpty()) {
            all.put(DEGRADED, String.join(",", reasons));
        }
        return all;
    }
}
