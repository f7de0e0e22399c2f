package io.recallgate.embedding.model;

/** A run was ended from outside before it was done. It has no vectors, and the model is as good as before. */
public final class RunTerminatedException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Without a stack trace: an expected outcome. */
    public RunTerminatedException() {
        super("terminated", null, false, false);
    }
}
