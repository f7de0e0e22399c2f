package io.recallgate.gateway.http;

import io.recallgate.gateway.http.FaultyStack.Trouble;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One kind of trouble of one part that a turn depends on.
 *
 * @param part that has it
 * @param trouble that it has
 * @param when it begins
 */
record FaultCase(Part part, Trouble trouble, When when) {

    /** Who has it. */
    enum Part {
        EMBEDDER,
        PROVIDER,
        READ_WORKERS,
        DATABASE,
        RECALL,
        UPSTREAM,
        CLIENT
    }

    /** When it comes. */
    enum When {
        BEFORE,
        DURING
    }

    /**
     * What is to come of it.
     *
     * @param status of the answer, 0 where there is nobody to be answered
     * @param outcome as the metric has it
     * @param reasons of which one is the label; none for a turn that has all it could have
     */
    record Expected(int status, String outcome, Set<String> reasons) {

        static Expected answer(String... reasons) {
            return new Expected(200, "completed", Set.of(reasons));
        }
    }

    @Override
    public String toString() {
        return part + " " + trouble + " " + when;
    }

    static Stream<FaultCase> all() {
        return Arrays.stream(Part.values())
                .flatMap(part -> Arrays.stream(Trouble.values())
                        .filter(trouble -> trouble != Trouble.NONE)
                        .flatMap(trouble ->
                                Arrays.stream(When.values()).map(when -> new FaultCase(part, trouble, when))))
                // They are gone for good once they are.
                .sorted(Comparator.comparingInt(FaultCase::place));
    }

    private int place() {
        if (part != Part.READ_WORKERS || trouble != Trouble.GONE) {
            return 0;
        }
        return when == When.BEFORE ? 2 : 1;
    }

    /** What is to come of it. */
    Expected expected() {
        boolean before = when == When.BEFORE;
        boolean slow = trouble == Trouble.SLOW;
        return switch (part) {
            case EMBEDDER ->
                switch (trouble) {
                    case STALL -> Expected.answer("embedding-timeout", "deadline-exhausted");
                    case ERROR -> Expected.answer("embedding-error", "deadline-exhausted");
                    case GONE -> Expected.answer("embedding-unavailable", "deadline-exhausted");
                    default -> Expected.answer();
                };
            case PROVIDER ->
                switch (trouble) {
                    case STALL -> Expected.answer("embedding-timeout", "deadline-exhausted");
                    // What breaks off in the middle was refused by nobody.
                    case ERROR -> Expected.answer("embedding-error", "deadline-exhausted");
                    case GONE -> Expected.answer("embedding-unavailable", "embedding-error", "deadline-exhausted");
                    default -> Expected.answer();
                };
            case READ_WORKERS ->
                switch (trouble) {
                    // A spare thread reads the body; nothing stands in for fitting.
                    case STALL -> Expected.answer("deadline-exhausted");
                    case ERROR -> before ? new Expected(429, "refused", Set.of()) : Expected.answer("overloaded");
                    // That is only while the gateway stops: what has begun ends, and nothing else does.
                    case GONE -> before ? new Expected(503, "refused", Set.of()) : Expected.answer("shutting-down");
                    default -> Expected.answer();
                };
            case DATABASE -> slow ? Expected.answer() : Expected.answer("database-unavailable", "deadline-exhausted");
            case RECALL ->
                switch (trouble) {
                    case STALL -> Expected.answer("deadline-exhausted");
                    case ERROR -> Expected.answer("internal");
                    case GONE -> Expected.answer("shutting-down");
                    default -> Expected.answer();
                };
            case UPSTREAM -> upstream(trouble, before);
            case CLIENT ->
                switch (trouble) {
                    case ERROR -> new Expected(before ? 400 : 0, before ? "refused" : "client-cancel", Set.of());
                    case SLOW -> Expected.answer();
                    default -> new Expected(0, "client-cancel", Set.of());
                };
        };
    }

    private static Expected upstream(Trouble trouble, boolean before) {
        return switch (trouble) {
            case STALL -> new Expected(before ? 504 : 200, "upstream-timeout", Set.of());
            // What a provider says is passed on; within a stream, too.
            case ERROR -> new Expected(before ? 529 : 200, "completed", Set.of());
            case GONE -> new Expected(before ? 502 : 200, "upstream-failed", Set.of());
            default -> Expected.answer();
        };
    }
}
