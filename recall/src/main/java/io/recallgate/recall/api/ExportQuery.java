package io.recallgate.recall.api;

import org.jspecify.annotations.Nullable;

/**
 * Where an export is. Made by {@link #of} and then by each page for the next one.
 *
 * @param session only this session; null for all
 * @param after memories behind this place in the order of storing
 * @param until memories up to this place: what was stored later is not part of the export. Null before the first page
 */
public record ExportQuery(
        @Nullable String session, long after, @Nullable Long until) {

    /** The beginning of an export of a session, or of everything for null. */
    public static ExportQuery of(@Nullable String session) {
        return new ExportQuery(session, 0, null);
    }
}
