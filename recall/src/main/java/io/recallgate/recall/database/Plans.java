package io.recallgate.recall.database;

/** How the server plans the statements of a unit of work. */
public enum Plans {
    /**
     * Anew on each use, for the values that it is used with. A plan that knows nothing of the words and the owner that a
     * search names reads the rows of every owner with these words; planning costs a tenth of a millisecond a table.
     */
    EACH_TIME("force_custom_plan"),

    /**
     * Once for each connection: for statements that find rows by ids, or by the order of a session, whatever the values.
     * Planning these costs as much as running them.
     */
    KEPT("force_generic_plan");

    private final String mode;

    Plans(String mode) {
        this.mode = mode;
    }

    /** The statement that says so to the server, for the connection until the next one. */
    String setting() {
        return "set plan_cache_mode = " + mode;
    }
}
