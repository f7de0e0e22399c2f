package io.recallgate.embedding.protocol;

/**
 * The last thing a worker says, on the dispatcher's address and so behind everything it said before: its thread has
 * left native code for good, and it holds nothing any more.
 *
 * @param slot from zero
 * @param generation of the slot
 */
public record WorkerExit(int slot, long generation) {}
