package io.recallgate.gateway.conversation.remember;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.recallgate.gateway.conversation.reply.AssistantReply;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryService;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnDraftsTest {

    private static final Instant AT = Instant.parse("2026-05-08T13:56:00.123456789Z");
    private static final AssistantReply REPLY = new AssistantReply("In Kyoto.", List.of());
    private static final String QUESTION = "{\"role\":\"user\",\"content\":\"Where is Mina?\"}";

    @Test
    void aTurnBecomesWhatWasSaidAndWhatToolsGaveInOrder() {
        List<MemoryDraft> drafts = drafts(
                Protocol.OPENAI,
                "{\"role\":\"user\",\"name\":\"Jonas\",\"content\":[{\"type\":\"text\",\"text\":\"Where is\"},"
                        + "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:x\"}},{\"type\":\"text\",\"text\":\"Mina?\"}]}",
                "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"function\":"
                        + "{\"name\":\"look\",\"arguments\":\"{\\\"who\\\":\\\"Mina\\\"}\"}}]}",
                "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"Kyoto\"}");

        assertThat(drafts)
                .extracting(MemoryDraft::role, MemoryDraft::author, MemoryDraft::content)
                .containsExactly(
                        tuple("user", "Jonas", "Where is\nMina?"),
                        tuple("tool", null, "look({\"who\":\"Mina\"})\n→ Kyoto"),
                        tuple("assistant", null, "In Kyoto."));
        assertThat(drafts).allSatisfy(draft -> {
            assertThat(draft.kind()).isEqualTo(MemoryKind.TURN);
            assertThat(draft.session()).isEqualTo("s1");
            assertThat(draft.metadata()).isEqualTo(new JsonObject().put("model", "m"));
        });
        assertThat(drafts)
                .extracting(MemoryDraft::occurredAt)
                .containsExactly(
                        Instant.parse("2026-05-08T13:56:00.123454Z"),
                        Instant.parse("2026-05-08T13:56:00.123455Z"),
                        Instant.parse("2026-05-08T13:56:00.123456Z"));
    }

    @Test
    void whatFunctionsOfTheOldFormGaveIsRememberedToo() {
        assertThat(drafts(
                        Protocol.OPENAI,
                        QUESTION,
                        "{\"role\":\"assistant\",\"content\":null,\"function_call\":{\"name\":\"look\","
                                + "\"arguments\":\"{\\\"q\\\":1}\"}}",
                        "{\"role\":\"function\",\"name\":\"look\",\"content\":\"Kyoto\"}"))
                .extracting(MemoryDraft::role, MemoryDraft::content)
                .containsExactly(
                        tuple("user", "Where is Mina?"),
                        tuple("tool", "look({\"q\":1})\n→ Kyoto"),
                        tuple("assistant", "In Kyoto."));
    }

    @Test
    void anthropicsBlocksBecomeTheSame() {
        List<MemoryDraft> drafts = drafts(
                Protocol.ANTHROPIC,
                "{\"role\":\"user\",\"content\":\"Where is Mina?\"}",
                "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\","
                        + "\"text\":\"I look.\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"look\",\"input\":{\"q\":1}},"
                        + "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"list\",\"input\":{}}]}",
                "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":\"two\"},"
                        + "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"one\"}]},"
                        + "{\"type\":\"text\",\"text\":\"and hurry\"}]}");

        assertThat(drafts)
                .extracting(MemoryDraft::content)
                .containsExactly(
                        "Where is Mina?",
                        "I look.",
                        "list({})\n→ two",
                        "look({\"q\":1})\n→ one",
                        "and hurry",
                        "In Kyoto.");
        assertThat(drafts).extracting(MemoryDraft::externalId).doesNotHaveDuplicates();
    }

    @Test
    void theAnswerThatWasRelayedAndItsCopyInTheNextRequestAreOneMemory() {
        MemoryDraft relayed = last(drafts(Protocol.OPENAI, QUESTION));

        List<MemoryDraft> next = drafts(
                Protocol.OPENAI,
                QUESTION,
                "{\"role\":\"assistant\",\"content\":\"In Kyoto.\",\"refusal\":null}",
                "{\"role\":\"user\",\"content\":\"Since when?\"}");

        assertThat(next.get(1).externalId()).isEqualTo(relayed.externalId());
        assertThat(next.get(1).content()).isEqualTo(relayed.content());
    }

    @Test
    void anotherSessionThatSaysTheSameHasMemoriesOfItsOwn() {
        assertThat(last(drafts("s1", QUESTION)).externalId())
                .isNotEqualTo(last(drafts("s2", QUESTION)).externalId());
        assertThat(drafts("s1", QUESTION).get(0).externalId())
                .isEqualTo(drafts("s1", QUESTION).get(0).externalId())
                .isNotEqualTo(drafts("s2", QUESTION).get(0).externalId())
                .hasSizeLessThanOrEqualTo(200);
    }

    @Test
    void aMessageThatWasRememberedBeforeOnlyNamesTheCallsWhoseResultsCome() throws JsonProcessingException {
        PlacedMessage before = new PlacedMessage(
                chain(1),
                chain(2),
                new ObjectMapper()
                        .readTree("{\"role\":\"assistant\",\"content\":\"I look.\",\"tool_calls\":[{\"id\":\"a\","
                                + "\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}"),
                true);
        PlacedMessage result =
                placed(chain(2), chain(3), "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"Kyoto\"}");

        assertThat(TurnDrafts.of(origin(Protocol.OPENAI, "s1"), List.of(before, result), chain(3), REPLY))
                .extracting(MemoryDraft::content)
                .containsExactly("look({})\n→ Kyoto", "In Kyoto.");
    }

    @Test
    void theChainOfAMemoryIsReadFromItsIdAndFromNoOther() {
        TurnIds ids = new TurnIds("s1");

        for (String id : List.of(ids.user("c"), ids.reply("c"), ids.tool("c", 7))) {
            assertThat(ids.place(id)).contains(new TurnIds.Place("c", ""));
            assertThat(new TurnIds("s2").place(id)).isEmpty();
        }
        assertThat(ids.place("turn:c")).isEmpty();
        assertThat(ids.place("my own id")).isEmpty();
        TurnIds.Place answer = ids.place(ids.reply("c", "In Kyoto.\nYes.")).orElseThrow();
        assertThat(answer.chain()).isEqualTo("c");
        assertThat(answer.mayBe("In Kyoto. Yes.")).isTrue();
        assertThat(answer.mayBe("In Oslo.")).isFalse();
        assertThat(ids.reply("c".repeat(64), "In Kyoto.")).hasSizeLessThanOrEqualTo(110);
    }

    @Test
    void instructionsAndSilenceAreNotRemembered() {
        assertThat(drafts(
                        Protocol.OPENAI,
                        "{\"role\":\"system\",\"content\":\"Be kind.\"}",
                        "{\"role\":\"developer\",\"content\":\"Be brief.\"}",
                        "{\"role\":\"user\",\"content\":\"  \"}",
                        "{\"role\":\"user\"}"))
                .extracting(MemoryDraft::content)
                .containsExactly("In Kyoto.");
    }

    @Test
    void aLongTextKeepsItsBeginningAndItsEndAndNoHalfCharacter() {
        String content = "a" + "🏯".repeat(TurnDrafts.MAX_TEXT_CHARS) + "z";

        String kept = drafts(
                        Protocol.OPENAI,
                        new JsonObject()
                                .put("role", "user")
                                .put("content", content)
                                .encode())
                .get(0)
                .content();

        assertThat(kept).startsWith("a🏯").endsWith("🏯z").contains("🏯 […] 🏯");
        assertThat(kept.length()).isLessThanOrEqualTo(TurnDrafts.MAX_TEXT_CHARS + 5);
    }

    @Test
    void whatNoDatabaseStoresIsReplacedAndNotRefused() {
        MemoryDraft reply = last(TurnDrafts.of(
                origin(Protocol.OPENAI, "s1"), List.of(), "c", new AssistantReply("a\0b\uD83Cc\uDFEF 🏯", List.of())));

        assertThat(reply.content()).isEqualTo("a\uFFFDb\uFFFDc\uFFFD 🏯");
    }

    @Test
    void ofMoreThanAWriteMayHaveTheNewestAreRemembered() {
        List<PlacedMessage> messages = new ArrayList<>();
        for (int i = 0; i < MemoryService.MAX_DRAFTS + 10; i++) {
            messages.add(placed("c" + (i - 1), "c" + i, "{\"role\":\"user\",\"content\":\"m" + i + "\"}"));
        }

        List<MemoryDraft> drafts = TurnDrafts.of(origin(Protocol.OPENAI, "s1"), messages, "c", REPLY);

        assertThat(drafts).hasSize(MemoryService.MAX_DRAFTS);
        assertThat(drafts.get(0).content()).isEqualTo("m11");
        assertThat(last(drafts).content()).isEqualTo("In Kyoto.");
    }

    private static List<MemoryDraft> drafts(Protocol protocol, String... messages) {
        return TurnDrafts.of(origin(protocol, "s1"), placed(messages), chain(messages.length), REPLY);
    }

    private static List<MemoryDraft> drafts(String session, String message) {
        return TurnDrafts.of(origin(Protocol.OPENAI, session), placed(message), chain(1), REPLY);
    }

    private static TurnDrafts.Origin origin(Protocol protocol, String session) {
        return new TurnDrafts.Origin(protocol, session, true, "m", AT);
    }

    private static MemoryDraft last(List<MemoryDraft> drafts) {
        return drafts.get(drafts.size() - 1);
    }

    private static List<PlacedMessage> placed(String... messages) {
        List<PlacedMessage> placed = new ArrayList<>();
        for (String message : messages) {
            placed.add(placed(chain(placed.size()), chain(placed.size() + 1), message));
        }
        return placed;
    }

    private static String chain(int messages) {
        return messages == 0 ? "" : "chain" + messages;
    }

    private static PlacedMessage placed(String before, String chain, String message) {
        try {
            return new PlacedMessage(before, chain, new ObjectMapper().readTree(message), false);
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
