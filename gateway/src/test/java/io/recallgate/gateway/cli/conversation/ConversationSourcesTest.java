package io.recallgate.gateway.cli.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.cli.conversation.SourceItem.Damaged;
import io.recallgate.gateway.cli.conversation.SourceItem.Intact;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConversationSourcesTest {

    private static List<SourceItem> read(byte[] bytes) throws IOException {
        List<SourceItem> items = new ArrayList<>();
        try (NdjsonSource source = new NdjsonSource(new ByteArrayInputStream(bytes), bytes.length)) {
            for (SourceItem item = source.next(); item != null; item = source.next()) {
                items.add(item);
            }
            assertThat(source.positionBytes()).isEqualTo(bytes.length);
        }
        return items;
    }

    private static List<SourceItem> read(String text) throws IOException {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void linesAreNumberedAsAnEditorDoesAndBlankOnesSkipped() throws IOException {
        assertThat(read("\uFEFF{\"content\":\"a\"}\r\n\n  \n{\"content\":\"納\"}"))
                .containsExactly(
                        new Intact("1", new JsonObject().put("content", "a")),
                        new Intact("4", new JsonObject().put("content", "納")));
    }

    @Test
    void whatIsNoObjectIsDamagedAndTheNextLineIsRead() throws IOException {
        byte[] broken = "{\"content\":\"?\"}\n{\"content\":\"b\"}\n".getBytes(StandardCharsets.UTF_8);
        broken[12] = (byte) 0xFF;
        assertThat(read(broken)).extracting(item -> item instanceof Damaged).containsExactly(true, false);
        assertThat(read("null\n7\n\"a\"\n[]\n{}{}\n{\"content\":\"b\"}"))
                .filteredOn(Damaged.class::isInstance)
                .hasSize(5);
    }

    @Test
    void aLineLongerThanABodyIsDamagedAndTheNextLineIsRead() throws IOException {
        String tooLong = "{\"content\":\"" + "x".repeat(NdjsonSource.MAX_LINE_BYTES) + "\"}";

        List<SourceItem> items = read(tooLong + "\n{\"content\":\"b\"}");

        assertThat(items.get(0)).isInstanceOfSatisfying(Damaged.class, damaged -> assertThat(damaged.code())
                .isEqualTo("payload-too-large"));
        assertThat(items.get(1)).isEqualTo(new Intact("2", new JsonObject().put("content", "b")));
    }

    private static JsonObject turn(String id, String text) {
        return new JsonObject().put("speaker", "Ann").put("dia_id", id).put("text", text);
    }

    @Test
    void aTurnBecomesAMemoryWithItsSessionAndTime() {
        JsonObject file = new JsonObject()
                .put("session_2", new JsonArray().add(turn("D2:1", "later")))
                .put("session_2_date_time", "12:05 am on 25 December, 2023")
                .put(
                        "session_1",
                        new JsonArray()
                                .add(turn("D1:1", "Look!").put("blip_caption", "a photo of a cat"))
                                .add(turn("D1:2", "").put("clean_text", "Nice")))
                .put("session_1_date_time", "1:56 pm on 8 May, 2023");

        List<SourceItem> items = LocomoConversation.parse("26", file).items();

        assertThat(items)
                .containsExactly(
                        new Intact(
                                "D1:1",
                                new JsonObject()
                                        .put("content", "Look! [a photo of a cat]")
                                        .put("kind", "turn")
                                        .put("session", "26/session_1")
                                        .put("external_id", "26/D1:1")
                                        .put("author", "Ann")
                                        .put("occurred_at", "2023-05-08T13:57:00Z")),
                        new Intact(
                                "D1:2",
                                new JsonObject()
                                        .put("content", "Nice")
                                        .put("kind", "turn")
                                        .put("session", "26/session_1")
                                        .put("external_id", "26/D1:2")
                                        .put("author", "Ann")
                                        .put("occurred_at", "2023-05-08T13:58:00Z")),
                        new Intact(
                                "D2:1",
                                new JsonObject()
                                        .put("content", "later")
                                        .put("kind", "turn")
                                        .put("session", "26/session_2")
                                        .put("external_id", "26/D2:1")
                                        .put("author", "Ann")
                                        .put("occurred_at", "2023-12-25T00:06:00Z")));
    }

    @Test
    void damagedPartsAreNamedAndTheRestKept() {
        JsonObject file = new JsonObject()
                .put(
                        "session_1",
                        new JsonArray().add(turn("D1:1", "kept")).add("text").add(turn("", "no id")))
                .put("session_2", "not a list");

        assertThat(LocomoConversation.parse("x", file).items())
                .extracting(SourceItem::place)
                .containsExactly("session_1", "D1:1", "session_1[2]", "session_1[3]", "session_2");
    }

    @Test
    void evidenceStringsMayHoldSeveralIds() {
        JsonObject file = new JsonObject()
                .put(
                        "qa",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("question", "q1")
                                        .put("category", 1)
                                        .put(
                                                "evidence",
                                                new JsonArray()
                                                        .add("D8:6; D9:17")
                                                        .add("D1:2,D1:3")))
                                .add(new JsonObject()
                                        .put("question", "q2")
                                        .put("category", 2)
                                        .put("evidence", new JsonArray().add("D:11:26")))
                                .add(new JsonObject()
                                        .put("question", "none")
                                        .put("category", 1)
                                        .put("evidence", new JsonArray())));

        assertThat(LocomoConversation.parse("c", file).questions())
                .containsExactly(
                        new LocomoConversation.Question("q1", 1, Set.of("c/D8:6", "c/D9:17", "c/D1:2", "c/D1:3")),
                        new LocomoConversation.Question("q2", 2, Set.of("c/D11:26")));
    }
}
