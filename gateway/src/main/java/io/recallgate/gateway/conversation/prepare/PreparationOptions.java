package io.recallgate.gateway.conversation.prepare;

import io.recallgate.gateway.conversation.fit.ContextWindows;

/**
 * Bounds of preparation. Read for each turn.
 *
 * @param budgetMillis for everything between the decoded body and the bytes that are sent
 * @param recalled memories that a turn is given at most
 * @param pinned memories that a turn is given at most
 * @param memoryChars of the block that a turn is given, in UTF-16 units
 * @param windows of models
 */
public record PreparationOptions(long budgetMillis, int recalled, int pinned, int memoryChars, ContextWindows windows) {

    /** The documented defaults. */
    public static final PreparationOptions DEFAULTS =
            new PreparationOptions(1_500, 8, 20, 8_000, ContextWindows.of(""));
}
