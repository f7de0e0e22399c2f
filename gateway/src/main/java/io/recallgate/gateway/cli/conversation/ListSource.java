package io.recallgate.gateway.cli.conversation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A source whose items are all there already. Progress counts items instead of bytes. */
public final class ListSource implements ConversationSource {

    private final List<SourceItem> items;
    private int next;

    /** @param items in order */
    public ListSource(List<SourceItem> items) {
        this.items = List.copyOf(items);
    }

    @Override
    public @Nullable SourceItem next() {
        return next < items.size() ? items.get(next++) : null;
    }

    @Override
    public long positionBytes() {
        return next;
    }

    @Override
    public long sizeBytes() {
        return items.size();
    }

    @Override
    public void close() {}
}
