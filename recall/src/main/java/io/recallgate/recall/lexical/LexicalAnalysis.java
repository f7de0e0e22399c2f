package io.recallgate.recall.lexical;

import io.recallgate.recall.api.MemoryDraft;

/** Turns memories into words. Pure and thread-safe; up to a second for 1 MiB of text, so large ones run on a worker. */
public interface LexicalAnalysis {

    /** The words of a memory: its content, its author, its date. */
    LexicalDocument document(MemoryDraft draft);

    /** Which analysis this is: another one makes other words, so what was made by it is to be made anew. */
    String id();
}
