package io.recallgate.recall.log;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallResponse.Timing;
import io.recallgate.recall.api.Scope;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One recall that is over.
 *
 * @param recallId as its answer had it
 * @param scope whose
 * @param question what was asked
 * @param requested the mode asked for
 * @param outcome what became of it
 * @param counts of what was found
 * @param timing where the time went
 */
public record RecallRecord(
        UUID recallId,
        Scope scope,
        Question question,
        RecallMode requested,
        Outcome outcome,
        Counts counts,
        Timing timing) {

    /** The same with another text, such as its beginning or none. */
    RecallRecord withText(String text) {
        return new RecallRecord(
                recallId,
                scope,
                new Question(text, question.truncated(), question.narrowed()),
                requested,
                outcome,
                counts,
                timing);
    }

    /**
     * The question.
     *
     * @param text the whole of it
     * @param truncated whether a part of it was not looked at
     * @param narrowed whether it was about a session or some kinds only
     */
    public record Question(String text, boolean truncated, boolean narrowed) {}

    /** How it ended. */
    public sealed interface Outcome {}

    /**
     * With an answer.
     *
     * @param served the mode that answered
     * @param reason why that is less than what was asked for; null if it is not
     * @param hits in the answer
     * @param coverage as in the answer
     */
    public record Answered(
            RecallMode served,
            @Nullable DegradeReason reason,
            int hits,
            @Nullable Double coverage) implements Outcome {}

    /** Without one. */
    public record Failed(FailureCode code) implements Outcome {}

    /**
     * What was found, before anything was left out for the answer's limit; null for what did not take part or settle.
     *
     * @param lexical by words
     * @param vector by meaning
     * @param together by either
     */
    public record Counts(
            @Nullable Integer lexical,
            @Nullable Integer vector,
            @Nullable Integer together) {}
}
