package io.recallgate.recall.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.recall.ScriptedEmbedder;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.jobs.EmbeddedJob.EmbeddedPassage;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** One memory, passage by passage, with an embedder that does what the test says. */
class PassageEmbedderTest {

    private static final String SENTENCE = "The keeper of the garden waters the roses every morning. ";

    private final ScriptedEmbedder embedder = new ScriptedEmbedder();
    private final PassageEmbedder passages =
            new PassageEmbedder(embedder, new ActiveModel(embedder), new FakeClock(), JobOptions.defaults("a"));

    @Test
    void aShortTextIsOneRowOfOneRequest() {
        EmbeddedJob embedded = run(job("I moved to Kyoto", "Mina"));

        assertThat(embedder.requests).containsExactly(List.of("Mina: I moved to Kyoto"));
        assertThat(embedded.passages()).containsExactly(new EmbeddedPassage(ScriptedEmbedder.VECTOR, false));
    }

    @Test
    void aLongTextGoesInRequestsOfASliceEachWithItsAuthorInFront() {
        EmbeddedJob embedded = run(job(SENTENCE.repeat(600), "Mina"));

        assertThat(embedded.passages()).hasSizeBetween(20, 40).allMatch(passage -> !passage.incomplete());
        assertThat(embedder.asked).hasSameSizeAs(embedded.passages()).allMatch(text -> text.startsWith("Mina: The"));
        assertThat(embedder.requests).allMatch(texts -> texts.size() <= PassageEmbedder.REQUEST_ROWS);
        assertThat(embedder.requests.subList(0, embedder.requests.size() - 1))
                .allMatch(texts -> texts.size() == PassageEmbedder.REQUEST_ROWS);
    }

    @Test
    void aRequestIsBoundedInBytes() {
        embedder.model("large", 8_000);
        run(job(SENTENCE.repeat(3_000), null));

        assertThat(embedder.requests)
                .hasSizeGreaterThan(3)
                .allMatch(texts ->
                        texts.stream().mapToLong(text -> 3L * text.length()).sum() <= PassageEmbedder.REQUEST_BYTES);
    }

    @Test
    void aPassageThatTheModelCutsIsCutSmallerUntilItFits() {
        embedder.window(700);
        EmbeddedJob embedded = run(job(SENTENCE.repeat(200), null));

        assertThat(embedded.passages()).hasSizeGreaterThan(20).allMatch(passage -> !passage.incomplete());
        List<String> fitting =
                embedder.asked.stream().filter(text -> text.length() <= 700).toList();
        assertThat(fitting).hasSameSizeAs(embedded.passages());
    }

    @Test
    void aPassageThatNeverFitsIsKeptAndLabelled() {
        embedder.window(3);
        EmbeddedJob embedded = run(job("It is as long as that.", null));

        assertThat(embedder.asked).hasSize(1);
        assertThat(embedded.passages()).containsExactly(new EmbeddedPassage(ScriptedEmbedder.VECTOR, true));
    }

    @Test
    void thereAreNeverMorePassagesThanTheBoundAndTheLastSaysThatTextIsLeft() {
        EmbeddedJob embedded = run(job(SENTENCE.repeat(15_000), null));

        assertThat(embedded.passages()).hasSize(PassageEmbedder.MAX_PASSAGES);
        assertThat(embedded.passages().get(PassageEmbedder.MAX_PASSAGES - 1).incomplete())
                .isTrue();
        assertThat(embedded.passages().subList(0, PassageEmbedder.MAX_PASSAGES - 1))
                .allMatch(passage -> !passage.incomplete());
        assertThat(embedder.asked).hasSize(PassageEmbedder.MAX_PASSAGES);
    }

    @Test
    void whiteSpaceBehindTheLastPassageThatAMemoryMayHaveIsNoTextThatIsLeft() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 15_000; i++) {
            text.append("The keeper of garden ").append(i).append(" waters the roses every morning. ");
        }
        run(job(text.toString(), null));
        String last = embedder.asked.get(PassageEmbedder.MAX_PASSAGES - 1);
        String fits = text.substring(0, text.indexOf(last) + last.length());

        EmbeddedJob embedded = run(job(fits + "\n".repeat(20_000), null));

        assertThat(embedded.passages()).hasSize(PassageEmbedder.MAX_PASSAGES).allMatch(one -> !one.incomplete());
    }

    @Test
    void aRetryGoesOnWhereTheFailedAttemptStopped() {
        ClaimedJob job = job(numbered(), null);
        run(job);
        List<List<String>> whole = List.copyOf(embedder.requests);
        assertThat(whole).hasSizeGreaterThan(3);
        embedder.requests.clear();
        String third = whole.get(2).get(0);
        embedder.fail(third, FailureCode.OVERLOADED);
        Await.failure(passages.embed(job, new CancelSignal()), FailureCode.OVERLOADED);
        assertThat(embedder.requests).isEqualTo(whole.subList(0, 3));

        embedder.requests.clear();
        embedder.mend(third);
        EmbeddedJob embedded = run(job);

        assertThat(embedder.requests).isEqualTo(whole.subList(2, whole.size()));
        assertThat(embedded.passages())
                .hasSize(whole.stream().mapToInt(List::size).sum());
    }

    @Test
    void whatWasHalfDoneIsNotUsedForOtherContent() {
        ClaimedJob job = job(numbered(), null);
        embedder.fail("nothing", FailureCode.OVERLOADED);
        run(job);
        List<List<String>> whole = List.copyOf(embedder.requests);
        String third = whole.get(2).get(0);
        embedder.fail(third, FailureCode.OVERLOADED);
        Await.failure(passages.embed(job, new CancelSignal()), FailureCode.OVERLOADED);
        embedder.mend(third);
        embedder.requests.clear();

        ClaimedJob changed = new ClaimedJob(
                job.id(), job.memoryId(), job.scope(), Buffer.buffer("another"), 2, 0, null, job.content());
        run(changed);

        assertThat(embedder.requests).isEqualTo(whole);
    }

    @Test
    void vectorsOfTwoModelsAreNotMixed() {
        ClaimedJob job = job(numbered(), null);
        run(job);
        String second = embedder.requests.get(1).get(0);
        embedder.hold(second);
        Future<Optional<EmbeddedJob>> mixed = passages.embed(job, new CancelSignal());
        embedder.model("f2");
        embedder.release(second);

        assertThat(Await.result(mixed)).isEmpty();
    }

    private EmbeddedJob run(ClaimedJob job) {
        return Await.result(passages.embed(job, new CancelSignal())).orElseThrow();
    }

    private static String numbered() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 700; i++) {
            text.append("Rose number ").append(i).append(" grows in the garden of the keeper. ");
        }
        return text.toString();
    }

    private static ClaimedJob job(String content, @Nullable String author) {
        return new ClaimedJob(1, new UUID(0, 1), new Scope("owner", ""), Buffer.buffer("hash"), 1, 0, author, content);
    }
}
