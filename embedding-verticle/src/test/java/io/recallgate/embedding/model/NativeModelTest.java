package io.recallgate.embedding.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class NativeModelTest {

    private static TextModel model;
    private static long runs;

    @BeforeAll
    static void open() {
        model = RealModel.factory().open(RealModel.NAME);
    }

    @AfterAll
    static void close() {
        model.close();
        model.close();
    }

    @Test
    void aVectorHas384DimensionsAndUnitLength() throws Exception {
        EmbeddingVector vector = document("The spare key is under the third flower pot.");

        assertThat(vector.dimensions()).isEqualTo(384);
        assertThat(vector.dot(vector)).isCloseTo(1, org.assertj.core.data.Offset.offset(1e-5));
    }

    @Test
    void aQuestionIsCloserToItsAnswerThanToOtherTexts() throws Exception {
        EmbeddingVector question = query("Where is the spare key?");
        double answer = question.dot(document("We keep the spare key under the third flower pot."));

        assertThat(answer).isGreaterThan(question.dot(document("Tax returns are due at the end of July.")));
        assertThat(answer).isGreaterThan(question.dot(document("The cat was asleep on the keyboard again.")));
    }

    @Test
    void queriesAndDocumentsGetThePrefixesOfTheModel() throws Exception {
        assertThat(query("same words").dot(document("same words"))).isLessThan(0.9999);
        assertThat(tokens("same words", InputType.QUERY).tokens())
                .isEqualTo(tokens("same words", InputType.DOCUMENT).tokens());
    }

    @Test
    void theSameTextGivesTheSameVectorAgainAndAfterOtherTexts() throws Exception {
        EmbeddingVector first = document("Batch mates must not matter.");
        document("Something else entirely, and rather longer than the first text was in its turn.");
        document("x");

        assertThat(document("Batch mates must not matter.").dot(first)).isGreaterThanOrEqualTo(0.9999);
    }

    @Test
    void whatItHoldsFollowsItsLargestRun() throws Exception {
        TokenizedRow row = tokens("memory ".repeat(600), InputType.DOCUMENT);
        try (TextModel fresh = RealModel.factory().open(RealModel.NAME)) {
            long loaded = fresh.profile().residentBytes();
            fresh.run(1, List.of(row));
            long single = fresh.heldBytes();
            assertThat(single - loaded)
                    .as("buffers of 512 tokens with 384 dimensions and three inputs")
                    .isEqualTo(512L * (384 * Float.BYTES + 3 * Long.BYTES));
            fresh.run(1, Collections.nCopies(4, row));
            assertThat(fresh.heldBytes() - single).isGreaterThan(120L << 20);
            long largest = fresh.heldBytes();
            fresh.run(1, List.of(row));
            assertThat(fresh.heldBytes()).isEqualTo(largest);
        }
    }

    @Test
    void theQuantisedModelIsFoundNotToBeBatchInvariantAndSaysHowFarOff() {
        ModelProfile profile = model.profile();

        assertThat(profile.batchInvariant()).isFalse();
        assertThat(profile.batchCosine()).isBetween(0.9, 0.9999);
        assertThat(profile.residentBytes()).isBetween(90L << 20, 130L << 20);
        assertThat(profile.identity().fingerprint()).matches("[0-9a-f]{64}");
    }

    @Test
    void aPaddedBatchStaysCloseToTheSingleRowsWhichShowsThatTheMaskIsApplied() throws Exception {
        List<TokenizedRow> rows = List.of(
                tokens("short", InputType.DOCUMENT),
                tokens("a text that is clearly longer than its neighbour in the batch", InputType.DOCUMENT));

        List<EmbeddingVector> together = model.run(++runs, rows);

        assertThat(together.get(0).dot(document("short"))).isGreaterThan(0.97);
        assertThat(together).hasSize(2);
    }

    @Test
    void aTextThatFillsTheWindowExactlyIsNotTruncatedAndOneTokenMoreIs() {
        int frame = tokens("", InputType.DOCUMENT).tokens();
        TokenizedRow full = tokens("a ".repeat(512 - frame), InputType.DOCUMENT);
        TokenizedRow over = tokens("a ".repeat(513 - frame), InputType.DOCUMENT);

        assertThat(full.tokens()).isEqualTo(512);
        assertThat(full.truncated()).isFalse();
        assertThat(over.tokens()).isEqualTo(512);
        assertThat(over.truncated()).isTrue();
    }

    @Test
    void aMegabyteOfTextIsCutBeforeItIsTokenised() {
        // Whole, it would be one token more than the empty text, and fit.
        TokenizedRow row = tokens(" ".repeat(1 << 20) + "end", InputType.DOCUMENT);

        assertThat(row.truncated()).isTrue();
        assertThat(row.tokens()).isEqualTo(tokens("", InputType.DOCUMENT).tokens());
    }

    @Test
    void tokensOfATextGiveTheVectorOfThatTextWithItsPrefix() throws Exception {
        int[] ids = idsWithoutSpecialTokens("passage: The meeting moved to three.");

        TokenizedRow row = model.tokenize(new EmbedInput.Tokens(ids), InputType.DOCUMENT);

        EmbeddingVector vector = model.run(++runs, List.of(row)).get(0);
        assertThat(vector).isEqualTo(document("The meeting moved to three."));
    }

    @Test
    void tooManyTokensAreCutAndLabelledAndUnknownOnesRefused() {
        TokenizedRow row = model.tokenize(new EmbedInput.Tokens(new int[600]), InputType.DOCUMENT);

        assertThat(row.tokens()).isEqualTo(512);
        assertThat(row.truncated()).isTrue();
        assertThatThrownBy(() -> model.tokenize(new EmbedInput.Tokens(new int[] {30_522}), InputType.DOCUMENT))
                .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                        .isEqualTo(FailureCode.INVALID_FIELD));
    }

    @Test
    void terminatingARunEndsItInItsMiddleAndLaterVectorsAreExact() throws Exception {
        EmbeddingVector before = document("before and after");
        // A run may come to its end at the very moment in which it is terminated; not each time.
        int tries = 0;
        while (!endsInTheMiddleOfARun()) {
            assertThat(++tries).as("runs that came to their end all the same").isLessThan(10);
        }
        assertThat(document("before and after")).isEqualTo(before);
    }

    /** Runs rows again and again until a termination ends it; whether none came to its end after that. */
    private static boolean endsInTheMiddleOfARun() throws Exception {
        List<TokenizedRow> rows = Collections.nCopies(8, tokens("word ".repeat(600), InputType.DOCUMENT));
        AtomicInteger ended = new AtomicInteger();
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        long id = ++runs;
        Thread runner = new Thread(() -> {
            try {
                while (true) {
                    model.run(id, rows);
                    ended.incrementAndGet();
                }
            } catch (RunTerminatedException | RunFailedException e) {
                outcome.complete(e);
            }
        });
        runner.start();
        awaitInside(runner);

        model.terminate(id + 1_000);
        awaitInside(runner);
        assertThat(outcome).isNotDone();
        int endedBefore = ended.get();
        model.terminate(id);

        assertThat(outcome.get(60, TimeUnit.SECONDS)).isInstanceOf(RunTerminatedException.class);
        return ended.get() == endedBefore;
    }

    @Test
    void aRunThatWasTerminatedBeforeItBeganDoesNotRun() {
        long id = ++runs;
        model.terminate(id);

        assertThatThrownBy(() -> model.run(id, List.of(tokens("never", InputType.QUERY))))
                .isInstanceOf(RunTerminatedException.class);
    }

    @Test
    void openingLeavesNothingInTheHomeDirectory() {
        assertThat(System.getProperty("RUST_LIBRARY_PATH"))
                .startsWith(RealModel.dataDirectory().toString());
        assertThat(System.getProperty("onnxruntime.native.path"))
                .startsWith(RealModel.dataDirectory().toString());
    }

    private static void awaitInside(Thread runner) {
        // The thread is in native code once its stack shows the runtime's method; bounded by the test's timeout.
        while (Arrays.stream(runner.getStackTrace())
                .noneMatch(
                        frame -> frame.getClassName().equals("ai.onnxruntime.OrtSession") && frame.isNativeMethod())) {
            Thread.onSpinWait();
        }
    }

    private static int[] idsWithoutSpecialTokens(String text) throws Exception {
        try (var in = Files.newInputStream(RealModel.dataDirectory().resolve("models/e5-small-v2-q/tokenizer.json"));
                HuggingFaceTokenizer plain = HuggingFaceTokenizer.newInstance(in, Map.of())) {
            return Arrays.stream(plain.encode(text, false, false).getIds())
                    .mapToInt(Math::toIntExact)
                    .toArray();
        }
    }

    private static TokenizedRow tokens(String text, InputType type) {
        return model.tokenize(new EmbedInput.Text(text), type);
    }

    private EmbeddingVector document(String text) throws Exception {
        return model.run(++runs, List.of(tokens(text, InputType.DOCUMENT))).get(0);
    }

    private EmbeddingVector query(String text) throws Exception {
        return model.run(++runs, List.of(tokens(text, InputType.QUERY))).get(0);
    }
}
