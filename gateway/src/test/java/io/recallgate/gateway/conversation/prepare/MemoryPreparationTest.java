package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.recall.api.AcceptedTurn;
import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.Injection;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.RecallMode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a turn is given, and what is kept of it, when all goes well. */
class MemoryPreparationTest extends PreparationTest {

    private static final Memory KYOTO = memory("Mina moved to Kyoto");
    private static final Memory OSLO = memory("Jonas lives in Oslo");

    @Test
    void aTurnIsGivenWhatWasRecalledAtTheEndOfItsNewestMessage() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1), hit(OSLO, .9)));
        Ask ask = new Ask(request(user("Hi"), assistant("Hello"), user("Where is Mina?")));

        PreparedTurn turn = prepare(ask);

        assertThat(sent(turn)).startsWith(ask.body.substring(0, ask.body.lastIndexOf("\"}")));
        JsonObject newest = new JsonObject(sent(turn)).getJsonArray("messages").getJsonObject(2);
        assertThat(newest.getString("content"))
                .startsWith("Where is Mina?\n\n<recalled_memories>\n")
                .contains("[id " + KYOTO.id() + "] (2026-05-08, Jonas) Mina moved to Kyoto\n")
                .endsWith("</recalled_memories>");
        assertThat(turn.labels())
                .containsEntry("x-recallgate-session", "s1")
                .containsEntry("x-recallgate-memories", "2")
                .containsEntry("x-recallgate-memory-ids", KYOTO.id() + "," + OSLO.id())
                .containsEntry("x-recallgate-window", "full")
                .containsKey("x-recallgate-recall-id")
                .doesNotContainKey("x-recallgate-degraded");
        assertThat(recalled).hasSize(1);
        assertThat(recalled.get(0).query()).isEqualTo("Where is Mina?");
        assertThat(recalled.get(0).mode()).isEqualTo(RecallMode.HYBRID);
    }

    @Test
    void aRequestForWhichNothingIsFoundIsSentByteForByte() {
        Ask ask = new Ask(question("Where is Mina?").replace("\"model\"", " \"unknown\" : [1.50, {}],\n\"model\""));

        PreparedTurn turn = prepare(ask);

        assertThat(sent(turn)).isEqualTo(ask.body);
        assertThat(turn.labels()).containsEntry("x-recallgate-memories", "0");
    }

    @Test
    void theNextTurnHasTheSameBlockAtTheSamePlaceAndIsNotGivenItTwice() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));
        String first = turn(new Ask(request(user("Where is Mina?"))));

        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1), hit(OSLO, .9)));
        PreparedTurn next =
                prepare(new Ask(request(user("Where is Mina?"), assistant("In Kyoto."), user("And Jonas?"))));

        assertThat(sent(next)).startsWith(first.substring(0, first.length() - 2));
        assertThat(next.labels())
                .containsEntry("x-recallgate-memory-ids", OSLO.id().toString());
    }

    @Test
    void aTurnThatGoesOnWithAToolsResultKeepsItsBlockAndRecallsNothingAgain() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));
        String call = "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":"
                + "{\"name\":\"look\",\"arguments\":\"{}\"}}]}";
        String result = "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"Kyoto\"}";
        String first = turn(new Ask(request(user("Where is Mina?"))));

        PreparedTurn next = prepare(new Ask(request(user("Where is Mina?"), call, result)));

        assertThat(recalled).hasSize(1);
        assertThat(sent(next))
                .startsWith(first.substring(0, first.length() - 2))
                .contains(call + ", " + result);
        assertThat(next.labels())
                .containsEntry("x-recallgate-memory-ids", KYOTO.id().toString());
        await(answered(next, ANSWER));
        assertThat(lastDrafts()).extracting(MemoryDraft::content).containsExactly("look({})\n→ Kyoto", "In Kyoto.");
    }

    @Test
    void aTurnThatComesBeforeTheLastOneIsStoredHasItsBlockAllTheSame() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));
        Promise<Void> stored = Promise.promise();
        conversations.writing(stored::future);
        PreparedTurn first = prepare(new Ask(request(user("Where is Mina?"))));
        Future<Void> committed = answered(first, ANSWER);

        recall = request -> Future.succeededFuture(found(request, hit(OSLO, 1)));
        Future<PreparedTurn> next =
                begin(new Ask(request(user("Where is Mina?"), assistant("In Kyoto."), user("And Jonas?"))));
        // Another branch of the same session does not go on from it, and does not wait for it.
        prepare(new Ask(request(user("Who is Jonas?"))));
        assertThat(next.isComplete()).isFalse();
        stored.complete();

        String before = sent(first);
        assertThat(sent(await(next))).startsWith(before.substring(0, before.length() - 2));
        await(committed);
    }

    @Test
    void aMessageThatWasGivenNothingIsGivenNothingWhenToolsHaveFollowedIt() {
        String call = "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":"
                + "{\"name\":\"look\",\"arguments\":\"{}\"}}]}";
        String result = "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"Kyoto\"}";
        String first = turn(new Ask(request(user("Where is Mina?"))));
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));

        PreparedTurn next = prepare(new Ask(request(user("Where is Mina?"), call, result)));

        assertThat(sent(next)).startsWith(first.substring(0, first.length() - 2));
        assertThat(next.labels()).containsEntry("x-recallgate-memories", "0");
        assertThat(recalled).hasSize(1);
    }

    @Test
    void whatTheConversationItselfSaysIsNotRecalledIntoIt() {
        turn(new Ask(request(user("Mina lives in Kyoto"))));
        MemoryDraft said = lastDrafts().get(0);
        Memory itself = memory(said.content(), said.session(), said.externalId());
        Memory elsewhere = memory("Mina lives in Nara", "another", said.externalId());
        recall = request -> Future.succeededFuture(found(request, hit(itself, 1), hit(elsewhere, .9)));

        PreparedTurn next =
                prepare(new Ask(request(user("Mina lives in Kyoto"), assistant("In Kyoto."), user("Where?"))));

        assertThat(next.labels())
                .containsEntry("x-recallgate-memory-ids", elsewhere.id().toString());
    }

    @Test
    void aHitThatIsFarBelowTheBestOneIsNotGiven() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1), hit(OSLO, .3)));

        assertThat(prepare(new Ask(question("Where is Mina?"))).labels()).containsEntry("x-recallgate-memories", "1");
    }

    @Test
    void pinnedKnowledgeIsGivenOnceAndAgainWhenItHasChanged() {
        Memory rule = memory("Answer in English");
        conversations.pinned.add(rule);
        recall = request -> Future.succeededFuture(found(request, hit(rule, 1)));
        String first = turn(new Ask(request(user("Hi"))));
        assertThat(first).containsOnlyOnce(rule.id().toString()).contains("Pinned:");

        Memory other = memory("Be brief");
        conversations.pinned.add(other);
        String second = turn(new Ask(request(user("Hi"), assistant("In Kyoto."), user("More"))));
        assertThat(second)
                .startsWith(first.substring(0, first.length() - 2))
                .containsOnlyOnce(other.id().toString());
        assertThat(second).containsOnlyOnce(rule.id().toString());

        Memory changed = new Memory(
                rule.id(), rule.draft(), rule.state(), 1, false, "changed", 2, rule.createdAt(), rule.updatedAt());
        conversations.pinned.set(0, changed);
        String third = sent(prepare(new Ask(
                request(user("Hi"), assistant("In Kyoto."), user("More"), assistant("In Kyoto."), user("And more")))));
        assertThat(third.split(rule.id().toString(), -1)).hasSize(3);
        assertThat(third).containsOnlyOnce(other.id().toString());
    }

    @Test
    void anAcceptedTurnIsRememberedWithItsCheckpointAndItsBlock() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));

        turn(new Ask(request(user("Hi"), assistant("Hello"), user("Where is Mina?"))));

        AcceptedTurn turn = conversations.accepted.get(0);
        assertThat(turn.session()).isEqualTo("s1");
        assertThat(turn.drafts()).extracting(MemoryDraft::content).containsExactly("Where is Mina?", "In Kyoto.");
        Checkpoint checkpoint = Objects.requireNonNull(turn.checkpoint());
        assertThat(checkpoint.messages()).isEqualTo(3);
        assertThat(checkpoint.windowStart()).isZero();
        Injection injection = Objects.requireNonNull(turn.injection());
        assertThat(injection.chain()).isEqualTo(checkpoint.chain());
        assertThat(injection.memories()).containsExactly(KYOTO.id());
        assertThat(injection.pinned()).isEqualTo(Map.of());
        assertThat(turn.shown()).isEqualTo(Map.of(KYOTO.id(), KYOTO.version()));
        assertThat(turn.recall()).isNotNull();
    }

    @Test
    void instructionsWithinAConversationStayWhenTheTurnsAroundThemAreLeftOut() {
        window(2_000);
        String old = user("old ".repeat(1_000));
        String rule = "{\"role\":\"system\",\"content\":\"Answer in French.\"}";
        String other = "{\"role\":\"developer\",\"content\":\"Be brief.\"}";

        PreparedTurn turn =
                prepare(new Ask(request(old, assistant("ok"), rule, old, assistant("ok"), user("new"), other)));

        assertThat(sent(turn)).isEqualTo(request(rule, user("new"), other));
        assertThat(turn.labels()).containsEntry("x-recallgate-messages-left-out", "4");
    }

    @Test
    void aTurnThatOnlyReadsIsGivenMemoriesAndLeavesNone() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));
        String first = turn(new Ask(request(user("Hi"))).reading());

        assertThat(first).contains("<recalled_memories>");
        assertThat(lastDrafts()).isEmpty();
        // What it was given stays where it was put: else the provider would read everything anew with each turn.
        assertThat(sent(prepare(new Ask(request(user("Hi"), assistant("In Kyoto."), user("More"))).reading())))
                .startsWith(first.substring(0, first.length() - 2));
    }

    @Test
    void aClientThatNamesNoSessionHasOneAllTheSame() {
        PreparedTurn first = prepare(new Ask(request(user("Hi"))).in(null));
        await(answered(first, ANSWER));
        PreparedTurn next = prepare(new Ask(request(user("Hi"), assistant("In Kyoto."), user("More"))).in(null));

        assertThat(first.labels().get("x-recallgate-session")).startsWith("auto-");
        assertThat(next.labels().get("x-recallgate-session"))
                .isEqualTo(first.labels().get("x-recallgate-session"));
        assertThat(prepare(new Ask(request(user("Hey"))).in(null)).labels().get("x-recallgate-session"))
                .isNotEqualTo(first.labels().get("x-recallgate-session"));
    }

    @Test
    void aPictureAsksNothingAndAnAnthropicMessageIsGivenABlockOfItsOwn() {
        recall = request -> Future.succeededFuture(found(request, hit(KYOTO, 1)));
        String picture =
                "{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"x\"}}]}";

        PreparedTurn silent = prepare(new Ask(request(picture)).anthropic());
        PreparedTurn asking = prepare(new Ask(request(user("Where is Mina?"))).anthropic());

        assertThat(sent(silent)).isEqualTo(request(picture));
        assertThat(recalled).hasSize(1);
        assertThat(new JsonObject(sent(asking))
                        .getJsonArray("messages")
                        .getJsonObject(0)
                        .getJsonArray("content"))
                .hasSize(2);
    }

    @Test
    void oldTurnsAreLeftOutWhenTheyDoNotFitAndItIsSaid() {
        window(2_000);
        String old = user("old ".repeat(1_500));
        Ask ask = new Ask(request(old, assistant("ok"), user("new")));

        PreparedTurn turn = prepare(ask);

        assertThat(sent(turn)).isEqualTo(request(user("new")));
        assertThat(turn.labels())
                .containsEntry("x-recallgate-messages-left-out", "2")
                .containsEntry("x-recallgate-window", "full");
    }

    @Test
    void aLongConversationOfShortTurnsIsGivenMemoriesToItsEnd() {
        window(4_000);
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            Memory fresh = memory(i + " Kyoto".repeat(200));
            recall = request -> Future.succeededFuture(found(request, hit(fresh, 1)));
            messages.add(user("And " + i + "?"));

            PreparedTurn turn = prepare(new Ask(request(messages.toArray(String[]::new))));

            // What the turns that are left out were given takes no room.
            assertThat(turn.labels())
                    .as("turn %s", i)
                    .containsEntry("x-recallgate-memories", "1")
                    .doesNotContainKey("x-recallgate-degraded");
            await(answered(turn, ANSWER));
            messages.add(assistant("In Kyoto."));
        }
    }

    @Test
    void memoryIsLeftOutBeforeTheClientsOwnWordsAre() {
        window(2_000);
        recall = request -> Future.succeededFuture(found(request, hit(memory("Kyoto ".repeat(600)), 1)));
        Ask ask = new Ask(question("new ".repeat(1_000)));

        PreparedTurn turn = prepare(ask);

        assertThat(sent(turn)).isEqualTo(ask.body);
        assertThat(turn.labels())
                .containsEntry("x-recallgate-degraded", "context-full")
                .containsEntry("x-recallgate-memories", "0");
    }

    @Test
    void whatMayJustFitIsSentAloneSinceOnlyTheProviderKnows() {
        window(2_000);
        String current = user("new ".repeat(1_700));
        Ask ask = new Ask(request(user("old"), assistant("ok"), current));

        PreparedTurn turn = prepare(ask);

        assertThat(sent(turn)).isEqualTo(request(current));
        assertThat(turn.labels())
                .containsEntry("x-recallgate-window", "suffix")
                .containsEntry("x-recallgate-degraded", "window-estimated")
                .containsEntry("x-recallgate-messages-left-out", "2");
        await(answered(turn, ANSWER));
        assertThat(conversations.accepted.get(0).checkpoint()).isNull();
    }

    @Test
    void instructionsWithoutAConversationAreSentAsTheyCame() {
        Ask ask = new Ask(request("{\"role\":\"system\",\"content\":\"Be kind.\"}"));

        PreparedTurn turn = prepare(ask);

        assertThat(sent(turn)).isEqualTo(ask.body);
        assertThat(turn.labels()).containsEntry("x-recallgate-window", "passthrough");
        await(answered(turn, ANSWER));
        assertThat(conversations.accepted).isEmpty();
    }

    @Test
    void whatCannotFitIsRefusedAndNothingIsKeptOfIt() {
        window(2_000);

        assertThat(failure(begin(new Ask(question("new ".repeat(4_000)))))).isEqualTo(FailureCode.CONTEXT_TOO_LONG);
        assertThat(conversations.accepted).isEmpty();
    }

    @Test
    void whatIsNoRequestIsRefused() {
        assertThat(failure(begin(new Ask("{\"messages\":")))).isEqualTo(FailureCode.INVALID_JSON);
        assertThat(failure(begin(new Ask("{\"messages\":[]}")))).isEqualTo(FailureCode.INVALID_FIELD);
        assertThat(recalled).isEmpty();
    }
}
