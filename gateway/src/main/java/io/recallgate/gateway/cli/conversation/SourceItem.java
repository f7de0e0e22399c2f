package io.recallgate.gateway.cli.conversation;

import io.vertx.core.json.JsonObject;
import java.util.OptionalLong;

/** What one line of a source turned out to be. */
public sealed interface SourceItem {

    /** Where it stands, for people: {@code 17} for a line, {@code D3:4} for a turn. */
    String place();

    /**
     * A memory, as {@code POST /v1/memories} takes it.
     *
     * @param memory the fields of API.md
     */
    record Intact(String place, JsonObject memory) implements SourceItem {}

    /**
     * A line that cannot be read.
     *
     * @param code what is wrong, as a failure code
     * @param detail what is wrong, in a sentence without the line's text
     */
    record Damaged(String place, String code, String detail) implements SourceItem {
        /** The number of the line, counted from 1, if the source consists of lines. */
        public OptionalLong line() {
            return place.matches("[0-9]{1,18}") ? OptionalLong.of(Long.parseLong(place)) : OptionalLong.empty();
        }
    }
}
