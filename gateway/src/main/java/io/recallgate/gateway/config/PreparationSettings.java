package io.recallgate.gateway.config;

import io.recallgate.gateway.config.Setting.Trait;
import io.recallgate.gateway.config.SettingTable.Entry;
import io.recallgate.gateway.config.SettingType.Whole;
import io.recallgate.gateway.config.SettingType.Windows;
import io.recallgate.gateway.conversation.fit.ContextWindows;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import java.util.Set;

/** The settings of what a turn is given: their lines in the table of {@link Setting}, and what is made of them. */
final class PreparationSettings {

    static final Entry PREPARATION_BUDGET_MS = new Entry(
            "RECALLGATE_PREPARATION_BUDGET_MS",
            "conversation.preparation-budget-ms",
            new Whole(1, 600_000),
            "1500",
            "ms",
            "For all that memory does before a turn goes on to its provider, together. What is not there by then is left out.",
            Set.of(Trait.LIVE));
    static final Entry TURN_MEMORIES = new Entry(
            "RECALLGATE_TURN_MEMORIES",
            "conversation.turn-memories",
            new Whole(0, 30),
            "8",
            "memories",
            "Recalled memories that a turn is given at most; the rest of its window is for the conversation.",
            Set.of(Trait.LIVE));
    static final Entry TURN_PINNED = new Entry(
            "RECALLGATE_TURN_PINNED",
            "conversation.turn-pinned",
            new Whole(0, 100),
            "20",
            "memories",
            "Pinned memories that a conversation is given at most, the oldest first.",
            Set.of(Trait.LIVE));
    static final Entry TURN_MEMORY_CHARS = new Entry(
            "RECALLGATE_TURN_MEMORY_CHARS",
            "conversation.turn-memory-chars",
            new Whole(0, 60_000),
            "8000",
            "characters",
            "Of the block of memories that a turn is given, some 2,000 tokens; it is sent again with each turn after it.",
            Set.of(Trait.LIVE));
    static final Entry CONTEXT_WINDOWS = new Entry(
            "RECALLGATE_CONTEXT_WINDOWS",
            "conversation.context-windows",
            new Windows(),
            null,
            "",
            "Windows of models that Recallgate does not know, or knows otherwise. For a model without one nothing is cut.",
            Set.of(Trait.LIVE));

    private PreparationSettings() {}

    static PreparationOptions of(SettingValues values) {
        return new PreparationOptions(
                values.number(Setting.PREPARATION_BUDGET_MS),
                values.whole(Setting.TURN_MEMORIES),
                values.whole(Setting.TURN_PINNED),
                values.whole(Setting.TURN_MEMORY_CHARS),
                ContextWindows.of(values.text(Setting.CONTEXT_WINDOWS).orElse("")));
    }
}
