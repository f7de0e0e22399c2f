package io.recallgate.gateway.conversation.turn;

import java.util.Locale;

/** The phases of a turn, in the order in which every turn passes them (ARCHITECTURE §4). */
public enum Phase {
    /** Waits for its place, with the body already read. */
    ADMIT(false),
    /** Reads the body: where its messages are, which tools they name, what they say. */
    DECODE(false),
    /** Finds the session and what is known of it. The preparation budget runs from here. */
    IDENTIFY(true),
    /** Looks for what matters: pinned knowledge and recalled memories. */
    SELECT(true),
    /** Makes it fit the model's window. */
    FIT(true),
    /** Puts the memories into the client's bytes. The preparation budget ends with it. */
    ASSEMBLE(true),
    /** Sends it to the provider and waits for the first byte. */
    FORWARD(false),
    /** Passes the answer on. */
    RELAY(false),
    /** Remembers the turn. */
    COMMIT(false);

    private final boolean preparation;
    private final String label = name().toLowerCase(Locale.ROOT);

    Phase(boolean preparation) {
        this.preparation = preparation;
    }

    /** Whether the phase draws on the preparation budget. */
    public boolean isPreparation() {
        return preparation;
    }

    /** As metrics and {@code server-timing} have it: {@code admit}. */
    public String label() {
        return label;
    }
}
