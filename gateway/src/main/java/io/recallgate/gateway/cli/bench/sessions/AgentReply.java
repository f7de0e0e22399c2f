package io.recallgate.gateway.cli.bench.sessions;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What the made-up model answers: the same for the same key, so that the provider's process and the client's work it out each
 * by itself and neither has to believe the other.
 *
 * @param key {@code session/step}; everything that is said has it in it
 * @param text that is said, perhaps empty beside calls
 * @param calls of tools, none in the last answer of a turn
 */
record AgentReply(String key, String text, List<Call> calls) {

    /** Copies the list. */
    AgentReply {
        calls = List.copyOf(calls);
    }

    /**
     * One call.
     *
     * @param id that its result names
     * @param arguments a JSON object
     */
    record Call(String id, String arguments) {}

    /** The only tool there is. */
    static final String TOOL = "run_command";

    private static final String[] SAYINGS = {
        "The build is green again; the retry now waits for the lease.",
        "I moved the check before the query and left the rest as it was.",
        "There are two callers, and only one of them holds the lock.",
        "The test failed because the clock was not injected. It is now.",
        "Nothing else reads this field, so it can go.",
        "The log shows the connection was reset after thirty seconds."
    };

    /** @param tools whether it asks for tools */
    static AgentReply of(String key, boolean tools) {
        SplittableRandom random = new SplittableRandom(key.hashCode() * 31L + (tools ? 1 : 0));
        List<Call> calls = new ArrayList<>();
        if (tools) {
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                String place = key + "/" + calls.size();
                calls.add(new Call(
                        "call_" + place.replace('/', '_'),
                        "{\"command\":\"cat src/" + random.nextInt(400) + ".java\",\"place\":\"[t " + place + "]\"}"));
            }
        }
        boolean silent = tools && random.nextBoolean();
        return new AgentReply(key, silent ? "" : "[a " + key + "] " + SAYINGS[random.nextInt(SAYINGS.length)], calls);
    }

    /** As a header asks the provider for it. */
    String wire() {
        return (calls.isEmpty() ? "text " : "tools ") + key;
    }

    /** The reverse of {@link #wire}. */
    static AgentReply ofWire(String wire) {
        int space = wire.indexOf(' ');
        return of(wire.substring(space + 1), wire.startsWith("tools "));
    }
}
