package io.recallgate.embedding.model;

/** The runtime refused a run. The model itself is sound and takes the next one. */
public final class RunFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    private final boolean outOfMemory;

    /**
     * @param detail for the log; the runtime's words, which name nodes and shapes but no text of a caller
     * @param outOfMemory whether native memory ran out, so that less at once may work
     */
    public RunFailedException(String detail, boolean outOfMemory) {
        super(detail, null, false, false);
        this.outOfMemory = outOfMemory;
    }

    /** Whether native memory ran out. */
    public boolean isOutOfMemory() {
        return outOfMemory;
    }

    /** The runtime's words. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}
