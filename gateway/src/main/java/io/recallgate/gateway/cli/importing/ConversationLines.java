package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.conversation.SourceItem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The turns of a conversation. */
final class ConversationLines implements ImportLines {

    private final List<SourceItem.Intact> intact = new ArrayList<>();
    private final List<SourceItem.Damaged> damaged = new ArrayList<>();
    private int next;

    ConversationLines(List<SourceItem> items) {
        for (SourceItem item : items) {
            if (item instanceof SourceItem.Intact readable) {
                intact.add(readable);
            } else if (item instanceof SourceItem.Damaged unreadable) {
                damaged.add(unreadable);
            }
        }
    }

    @Override
    public byte @Nullable [] next() {
        return next == intact.size()
                ? null
                : intact.get(next++).memory().encode().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean mayBlock() {
        return false;
    }

    @Override
    public long position() {
        return next;
    }

    @Override
    public long size() {
        return intact.size();
    }

    @Override
    public String place(long line) {
        return line >= 1 && line <= intact.size() ? intact.get((int) line - 1).place() : Long.toString(line);
    }

    @Override
    public List<SourceItem.Damaged> damaged() {
        return damaged;
    }

    @Override
    public void close() {}
}
