package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.recall.api.MemoryDraft;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is remembered of a turn, and what is not. */
class RememberedTurnsTest extends PreparationTest {

    @Test
    void ofTheNextTurnOnlyWhatIsNewIsRemembered() {
        turn(new Ask(request(user("Hi"))));

        turn(new Ask(request(user("Hi"), assistant("In Kyoto."), user("More"))));

        assertThat(lastDrafts()).extracting(MemoryDraft::content).containsExactly("More", "In Kyoto.");
    }

    @Test
    void theSameTurnTwiceIsRememberedUnderTheSameIds() {
        turn(new Ask(request(user("Hi"))));
        turn(new Ask(request(user("Hi"))));

        // The answer may be another one, and takes the place of the first.
        assertThat(lastDrafts())
                .extracting(MemoryDraft::externalId)
                .hasSize(2)
                .isEqualTo(conversations.accepted.get(0).drafts().stream()
                        .map(MemoryDraft::externalId)
                        .toList());
    }

    @Test
    void whatOthersHaveAnsweredIsNotRememberedSinceOnlyTheyKnewWhetherItWasToBe() {
        // The first turn went out with memory off, or never came here.
        turn(new Ask(request(user("A secret"), assistant("Noted."), user("And more"))));

        assertThat(lastDrafts()).extracting(MemoryDraft::content).containsExactly("And more", "In Kyoto.");
    }

    @Test
    void twoConversationsWithoutANameThatBeginAlikeKeepTheirAnswersAndRecallEachOthers() {
        turn(new Ask(question("What is new?")).in(null));
        MemoryDraft first = lastDrafts().get(1);
        PreparedTurn second = prepare(new Ask(question("What is new?")).in(null));
        await(answered(second, ANSWER.replace("Kyoto", "Oslo")));
        MemoryDraft other = lastDrafts().get(1);
        assertThat(other.externalId()).isNotEqualTo(first.externalId());
        recall = request -> Future.succeededFuture(found(
                request,
                hit(memory(first.content(), first.session(), first.externalId()), 1),
                hit(memory(other.content(), other.session(), other.externalId()), 1)));

        PreparedTurn next =
                prepare(new Ask(request(user("What is new?"), assistant("In Oslo."), user("Thanks"))).in(null));

        assertThat(next.labels()).containsEntry("x-recallgate-memories", "1");
        assertThat(sent(next)).contains("In Kyoto.").containsOnlyOnce("In Oslo.");
        await(answered(prepare(new Ask(question("What is new?")).in(null)), ANSWER));
        assertThat(lastDrafts().get(1).externalId()).isEqualTo(first.externalId());
    }

    @Test
    void anAnswerWhoseBeginningTheClientPrescribedIsOneMemory() {
        String prefilled = request(user("Where is Mina?"), "{\"role\":\"assistant\",\"content\":\"In \"}");
        PreparedTurn turn = prepare(new Ask(prefilled).anthropic());
        assertThat(sent(turn)).isEqualTo(prefilled);
        await(answered(turn, "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"Kyoto.\"}]}"));
        List<MemoryDraft> drafts = lastDrafts();
        assertThat(drafts).extracting(MemoryDraft::content).containsExactly("Where is Mina?", "In Kyoto.");

        PreparedTurn plain = prepare(new Ask(question("Where is Mina?")).anthropic());
        await(answered(plain, "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"Nara\"}]}"));
        assertThat(lastDrafts())
                .extracting(MemoryDraft::externalId)
                .isEqualTo(drafts.stream().map(MemoryDraft::externalId).toList());
    }

    @Test
    void aTurnWhoseAnswerIsNotWholeIsNotRemembered() {
        PreparedTurn turn = prepare(new Ask(question("Hi")));

        assertThat(failure(answered(turn, "{\"choices\":[{\"message\":{\"content\":\"In K")))
                .isEqualTo(FailureCode.UPSTREAM_UNREADABLE);
        assertThat(failure(prepare(new Ask(question("Hi"))).commit())).isEqualTo(FailureCode.UPSTREAM_UNREADABLE);
        assertThat(conversations.accepted).isEmpty();
    }

    @Test
    void aTurnWithAFileOfManyMegabytesIsRemembered() {
        String file = "{\"role\":\"user\",\"content\":[{\"type\":\"file\",\"file\":{\"file_data\":\""
                + "A".repeat(20_000_100) + "\"}},{\"type\":\"text\",\"text\":\"What is in it?\"}]}";

        turn(new Ask(request(file)));

        assertThat(lastDrafts()).extracting(MemoryDraft::content).containsExactly("What is in it?", "In Kyoto.");
    }

    @Test
    void aTurnThatCannotBeStoredSaysSo() {
        conversations.writing(
                () -> Future.failedFuture(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "gone")));

        assertThat(failure(answered(prepare(new Ask(question("Hi"))), ANSWER)))
                .isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
    }

    @Test
    void aTurnThatHadNoTimeToAskRemembersOnlyWhatIsNew() {
        turn(new Ask(request(user("Hi"))));
        onAnotherNode();
        Promise<Void> late = Promise.promise();
        conversations.reading(late::future);
        Future<PreparedTurn> turn = begin(new Ask(request(user("Hi"), assistant("In Kyoto."), user("More"))));
        runOut();
        PreparedTurn sent = await(turn);
        late.complete();

        await(answered(sent, ANSWER));

        // The beginning was remembered with the first turn, and may have been removed since.
        assertThat(conversations.accepted.get(1).drafts())
                .extracting(MemoryDraft::content)
                .containsExactly("More", "In Kyoto.");
    }

    @Test
    void aTurnThatOnlyReadAndHadNoTimeIsNotRememberedByTheNextOne() {
        turn(new Ask(request(user("Hi"))));
        conversations.reading(() -> Promise.<Void>promise().future());
        Future<PreparedTurn> reading =
                begin(new Ask(request(user("Hi"), assistant("In Kyoto."), user("A secret"))).reading());
        runOut();
        await(answered(await(reading), ANSWER));
        conversations.reading(Future::succeededFuture);

        turn(new Ask(request(
                user("Hi"), assistant("In Kyoto."), user("A secret"), assistant("In Kyoto."), user("And more"))));

        assertThat(conversations.accepted.get(conversations.accepted.size() - 1).drafts())
                .extracting(MemoryDraft::content)
                .containsExactly("And more", "In Kyoto.");
    }

    @Test
    void whatCouldNotBeStoredIsMadeUpForByTheNextTurnOfTheConversationOnce() {
        turn(new Ask(request(user("Hi"))));
        conversations.writing(
                () -> Future.failedFuture(new FailureException(FailureCode.DATABASE_UNAVAILABLE, "gone")));
        String call = "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":"
                + "{\"name\":\"look\",\"arguments\":\"{}\"}}]}";
        String result = "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"Kyoto\"}";
        String[] second = {user("Hi"), assistant("Hello"), user("Where is Mina?")};
        String[] third = {user("Hi"), assistant("Hello"), user("Where is Mina?"), call, result};
        lost(new Ask(request(second)));
        lost(new Ask(request(third)));
        // It said that it is not to be remembered, and is so when it could not be stored.
        lost(new Ask(request(user("Hi"), assistant("Hello"), user("A secret"))).reading());
        conversations.writing(Future::succeededFuture);

        turn(new Ask(request(user("Hi"), assistant("Hello"), user("Something else"))));
        assertThat(lastContents()).containsExactly("Something else", "In Kyoto.");
        String[] fourth = {
            user("Hi"), assistant("Hello"), user("Where is Mina?"), call, result, assistant("There."), user("Thanks")
        };
        turn(new Ask(request(fourth)));
        assertThat(lastContents())
                .containsExactly("Where is Mina?", "look({})\n→ Kyoto", "There.", "Thanks", "In Kyoto.");
        turn(new Ask(request(fourth)));
        assertThat(lastContents()).containsExactly("Thanks", "In Kyoto.");
    }

    private void lost(Ask ask) {
        assertThat(failure(answered(prepare(ask), ANSWER))).isEqualTo(FailureCode.DATABASE_UNAVAILABLE);
    }

    private List<String> lastContents() {
        return conversations.accepted.get(conversations.accepted.size() - 1).drafts().stream()
                .map(MemoryDraft::content)
                .toList();
    }
}
