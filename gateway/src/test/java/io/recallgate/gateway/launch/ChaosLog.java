package io.recallgate.gateway.launch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a client sent and what it was promised, kept by the client itself: for each memory the contents that may be
 * stored now. One content is left once a request was acknowledged; a request without an answer leaves both the state
 * before and after it. Thread-safe; each memory belongs to one writer, which sends one request after the other.
 */
final class ChaosLog {

    /** Stands for a memory that is not there. */
    static final String ABSENT = "";

    /** Whether what got no answer may still be done much later, by a node that slept when it was sent. */
    private final boolean late;

    private final Map<String, Set<String>> possible = new HashMap<>();
    private final Map<String, Set<String>> unanswered = new HashMap<>();
    private final Map<String, String> ids = new HashMap<>();
    private final Map<Integer, Long> statuses = new TreeMap<>();
    private long acknowledged;

    /** For nodes that do at once what they do, or never. */
    ChaosLog() {
        this(false);
    }

    private ChaosLog(boolean late) {
        this.late = late;
    }

    /** For nodes that may do what they were sent when they wake up, after another node has acknowledged something newer. */
    static ChaosLog ofSleepers() {
        return new ChaosLog(true);
    }

    /** A request that would make {@code contents} of these memories is about to leave. */
    synchronized void sent(Map<String, String> contents) {
        contents.forEach((name, content) -> {
            possible.computeIfAbsent(name, ignored -> new HashSet<>(Set.of(ABSENT)))
                    .add(content);
            unanswered.computeIfAbsent(name, ignored -> new HashSet<>()).add(content);
        });
    }

    /** It was acknowledged; {@code given} are the ids that the answer names. */
    synchronized void acknowledged(Map<String, String> contents, Map<String, String> given) {
        contents.forEach((name, content) -> {
            Set<String> open = unanswered.getOrDefault(name, new HashSet<>());
            open.remove(content);
            Set<String> now = new HashSet<>(late ? open : Set.of());
            now.add(content);
            possible.put(name, now);
        });
        ids.putAll(given);
        acknowledged += contents.size();
    }

    /** An answer of this status came, whatever it was about; 0 for none. */
    synchronized void answered(int status) {
        statuses.merge(status, 1L, Long::sum);
    }

    /** The id that the gateway gave to a memory, null if it never told. */
    synchronized @Nullable String id(String name) {
        return ids.get(name);
    }

    /** Memories acknowledged so far, repeated ones counted again. */
    synchronized long acknowledgements() {
        return acknowledged;
    }

    /** Answers by status; 0 counts requests that got none. */
    synchronized Map<Integer, Long> statuses() {
        return Map.copyOf(statuses);
    }

    /** Compares with what is stored: contents by name, one entry for each row. Returns what is wrong, in words. */
    synchronized List<String> differences(Map<String, List<String>> stored) {
        List<String> wrong = new ArrayList<>();
        possible.forEach((name, contents) -> {
            List<String> rows = stored.getOrDefault(name, List.of());
            String content = rows.isEmpty() ? ABSENT : rows.get(0);
            if (rows.size() > 1) {
                wrong.add(name + " is there " + rows.size() + " times");
            } else if (!contents.contains(content)) {
                wrong.add(name + " is '" + content + "', which may only be one of " + contents);
            }
        });
        stored.keySet().stream()
                .filter(name -> !possible.containsKey(name))
                .forEach(name -> wrong.add(name + " was never sent"));
        return wrong;
    }
}
