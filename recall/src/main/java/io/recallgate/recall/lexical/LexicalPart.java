package io.recallgate.recall.lexical;

/** Where the words of a score were found. */
public enum LexicalPart {
    /** In the memory's own text. */
    TEXT("text"),
    /** In the texts of its neighbours in the session. */
    NEIGHBOURS("neighbours"),
    /** In its author's name. */
    AUTHOR("author"),
    /** In its date. */
    DATE("date"),
    /** In its text as the question quotes them, next to each other in that order. */
    PHRASE("phrase");

    private final String wireName;

    LexicalPart(String wireName) {
        this.wireName = wireName;
    }

    /** As {@code explain} names it. */
    public String wireName() {
        return wireName;
    }
}
