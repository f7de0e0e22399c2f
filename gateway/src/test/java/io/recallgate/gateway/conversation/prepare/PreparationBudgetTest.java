package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.recall.api.DegradeReason;
import io.recallgate.recall.api.RecallMode;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.time.CancelCause;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What a turn is given when its memory has trouble: less, in time, and labelled. */
class PreparationBudgetTest extends PreparationTest {

    private static final String DEGRADED = "x-recallgate-degraded";
    private static final String WINDOW = "x-recallgate-window";

    @Test
    void allPartsThatStallTogetherTakeOneBudget() {
        conversations.reading(() -> Promise.<Void>promise().future());
        recall = request -> Promise.<RecallResponse>promise().future();
        Ask ask = new Ask(question("Where is Mina?"));
        Future<PreparedTurn> turn = begin(ask);
        until("the budget runs", () -> clock.pending() > 0);

        clock.advanceMillis(options.budgetMillis() - 1);
        assertThat(turn.isComplete()).isFalse();
        clock.advanceMillis(1);

        assertThat(sent(await(turn))).isEqualTo(ask.body);
        assertThat(turn.result().labels())
                .containsEntry(WINDOW, "passthrough")
                .containsEntry(DEGRADED, "deadline-exhausted")
                .containsEntry("x-recallgate-memories", "0");
    }

    @Test
    void whatIsGivenUpIsCancelled() {
        conversations.reading(() -> Promise.<Void>promise().future());
        recall = request -> Promise.<RecallResponse>promise().future();
        Future<PreparedTurn> turn = begin(new Ask(question("Where is Mina?")));

        runOut();
        await(turn);

        assertThat(conversations.cancels)
                .allSatisfy(signal -> assertThat(signal.isCancelled()).isTrue());
        assertThat(recalled.get(0).cancel().isCancelled()).isTrue();
    }

    @Test
    void everythingThatIsAskedHasADeadlineBeforeTheBudgets() {
        prepare(new Ask(question("Where is Mina?")));

        // The clock stands still: what is left now is what was left then.
        assertThat(recalled.get(0).deadline().remainingMillis()).isBetween(1L, options.budgetMillis() - 100);
    }

    @Test
    void whatComesAfterTheEndOfTheBudgetChangesNothing() {
        Promise<Void> late = Promise.promise();
        conversations.reading(late::future);
        Future<PreparedTurn> turn = begin(new Ask(question("Where is Mina?")));
        runOut();
        PreparedTurn sent = await(turn);

        late.complete();

        assertThat(sent.labels()).containsEntry(WINDOW, "passthrough");
        await(answered(sent, ANSWER));
        // It is remembered, but nobody knows whether the next turn may go on from it.
        assertThat(conversations.accepted.get(0).checkpoint()).isNull();
        assertThat(conversations.accepted.get(0).drafts()).hasSize(2);
    }

    @Test
    void aDatabaseThatIsGoneCostsMemoryAndNotTheTurn() {
        conversations.reading(
                () -> Future.failedFuture(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "gone")));
        recall = request -> Future.failedFuture(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "gone"));
        Ask ask = new Ask(question("Where is Mina?"));

        PreparedTurn turn = prepare(ask);

        assertThat(sent(turn)).isEqualTo(ask.body);
        assertThat(turn.labels())
                .containsEntry(DEGRADED, "database-unavailable")
                .containsEntry(WINDOW, "full");
    }

    @Test
    void aRecallThatIsDegradedIsLabelledWithItsReason() {
        recall = request -> Future.succeededFuture(new RecallResponse(
                UUID.randomUUID(),
                RecallMode.HYBRID,
                RecallMode.LEXICAL,
                DegradeReason.EMBEDDING_TIMEOUT,
                null,
                List.of(hit(memory("Kyoto"), 1)),
                new RecallResponse.Timing(1, 1.0, 1.0, null, 1.0)));

        assertThat(prepare(new Ask(question("Where is Mina?"))).labels())
                .containsEntry(DEGRADED, "embedding-timeout")
                .containsEntry("x-recallgate-memories", "1");
    }

    @Test
    void aConversationGoesOnFromItsLastTurnThoughTheDatabaseStalls() {
        window(4_000);
        String old = user("old ".repeat(3_000));
        turn(new Ask(request(old, assistant("ok"), user("new"))));
        conversations.reading(() -> Promise.<Void>promise().future());
        Future<PreparedTurn> turn =
                begin(new Ask(request(old, assistant("ok"), user("new"), assistant("In Kyoto."), user("more"))));

        runOut();

        assertThat(sent(await(turn))).isEqualTo(request(user("new"), assistant("In Kyoto."), user("more")));
        assertThat(turn.result().labels()).containsEntry(WINDOW, "accepted");
    }

    @Test
    void aConversationOfWhichNothingIsKnownIsCutToWhatSurelyFits() {
        window(4_000);
        conversations.reading(() -> Promise.<Void>promise().future());
        Future<PreparedTurn> turn = begin(new Ask(request(user("old ".repeat(3_000)), assistant("ok"), user("new"))));

        runOut();

        assertThat(sent(await(turn))).isEqualTo(request(user("new")));
        assertThat(turn.result().labels()).containsEntry(WINDOW, "suffix");
    }

    @Test
    void whatCannotBeSentSafelyIsNotSent() {
        window(4_000);
        conversations.reading(() -> Promise.<Void>promise().future());
        Future<PreparedTurn> turn = begin(new Ask(question("new ".repeat(9_000))));

        runOut();

        assertThat(failure(turn)).isEqualTo(FailureCode.PREPARATION_EXPIRED);
        assertThat(conversations.accepted).isEmpty();
    }

    @Test
    void aClientThatLeavesEndsWhatItWaitedFor() {
        conversations.reading(() -> Promise.<Void>promise().future());
        recall = request -> Promise.<RecallResponse>promise().future();
        Ask ask = new Ask(question("Where is Mina?"));
        Future<PreparedTurn> turn = begin(ask);
        until("the budget runs", () -> clock.pending() > 0);

        ask.cancel.cancel(CancelCause.DISCONNECTED);

        assertThat(failure(turn)).isEqualTo(FailureCode.CANCELLED);
        assertThat(recalled.get(0).cancel().isCancelled()).isTrue();
    }

    @Test
    void aClientThatLeavesIsNotHeldUpByAFallBackThatWaitsForAWorker() {
        conversations.reading(() -> Promise.<Void>promise().future());
        CountDownLatch busy = holdFallbacks();
        try {
            Ask ask = new Ask(question("Where is Mina?"));
            Future<PreparedTurn> turn = begin(ask);
            runOut();

            ask.cancel.cancel(CancelCause.DISCONNECTED);

            assertThat(failure(turn)).isEqualTo(FailureCode.CANCELLED);
        } finally {
            busy.countDown();
        }
    }

    @Test
    void aFallBackThatFindsNoThreadEndsInTimeWithWhatSurelyFitsByItsBytes() {
        window(4_000);
        conversations.reading(() -> Promise.<Void>promise().future());
        CountDownLatch busy = holdFallbacks();
        try {
            Future<PreparedTurn> fits = begin(new Ask(request(user("Hi"), assistant("Hello"), user("And you?"))));
            Future<PreparedTurn> isCut =
                    begin(new Ask(request(user("old ".repeat(1_000)), assistant("ok"), user("new"))).in("s2"));
            Future<PreparedTurn> mayBeTooLong = begin(new Ask(question("new ".repeat(1_500))).in("s3"));
            until("the budgets run", () -> clock.pending() == 3);
            clock.advanceMillis(options.budgetMillis());
            until("the fall-backs wait", () -> clock.pending() == 3);

            clock.advanceMillis(FallbackWorkers.MILLIS - 1);
            assertThat(fits.isComplete()).isFalse();
            clock.advanceMillis(1);

            assertThat(await(fits).labels())
                    .containsEntry(WINDOW, "passthrough")
                    .containsEntry(DEGRADED, "deadline-exhausted,fallback-expired");
            assertThat(sent(await(isCut))).isEqualTo(request(user("new")));
            assertThat(isCut.result().labels()).containsEntry(WINDOW, "suffix");
            assertThat(failure(mayBeTooLong)).isEqualTo(FailureCode.PREPARATION_EXPIRED);
        } finally {
            busy.countDown();
        }
    }

    @Test
    void oneWhoHasMoreTimeThanTheTurnWhoseRecallItSharesIsNotCutShortByIt() {
        List<Promise<RecallResponse>> recalls = new CopyOnWriteArrayList<>();
        recall = request -> {
            Promise<RecallResponse> answer = Promise.promise();
            recalls.add(answer);
            return answer.future();
        };
        Future<PreparedTurn> hurried = begin(new Ask(question("Where is Mina?")).in("a"));
        until("it has begun", () -> recalls.size() == 1);
        clock.advanceMillis(1_000);
        Future<PreparedTurn> patient = begin(new Ask(question("Where is Mina?")).in("b"));
        until("both wait", () -> clock.pending() == 2);
        clock.advanceMillis(recalled.get(0).deadline().remainingMillis());

        recalls.get(0).fail(new FailureException(FailureCode.DEADLINE_EXCEEDED, "too slow"));

        assertThat(await(hurried).labels()).containsEntry(DEGRADED, "deadline-exhausted");
        until("it is asked again", () -> recalls.size() == 2);
        assertThat(recalled.get(1).deadline().remainingMillis()).isEqualTo(1_000);
        recalls.get(1).complete(found(recalled.get(1), hit(memory("Kyoto"), 1)));
        assertThat(await(patient).labels())
                .containsEntry("x-recallgate-memories", "1")
                .doesNotContainKey(DEGRADED);
    }

    @Test
    void theEndOfTheRequestsLifetimeIsCalledSo() {
        conversations.reading(() -> Promise.<Void>promise().future());
        Ask ask = new Ask(question("Where is Mina?"));
        Future<PreparedTurn> turn = begin(ask);
        until("the budget runs", () -> clock.pending() > 0);

        ask.cancel.cancel(CancelCause.DEADLINE);

        assertThat(failure(turn)).isEqualTo(FailureCode.DEADLINE_EXCEEDED);
    }

    @Test
    void twoTurnsThatAskTheSameShareARecallAndOneThatLeavesLeavesItToTheOther() {
        Promise<RecallResponse> shared = Promise.promise();
        recall = request -> shared.future();
        Ask leaving = new Ask(question("Where is Mina?")).in("a");
        Future<PreparedTurn> one = begin(leaving);
        Future<PreparedTurn> two = begin(new Ask(question("Where is Mina?")).in("b"));
        until("both wait", () -> clock.pending() == 2);

        leaving.cancel.cancel(CancelCause.DISCONNECTED);
        assertThat(failure(one)).isEqualTo(FailureCode.CANCELLED);
        assertThat(recalled).hasSize(1);
        assertThat(recalled.get(0).cancel().isCancelled()).isFalse();
        shared.complete(found(recalled.get(0), hit(memory("Kyoto"), 1)));

        assertThat(await(two).labels()).containsEntry("x-recallgate-memories", "1");
    }
}
