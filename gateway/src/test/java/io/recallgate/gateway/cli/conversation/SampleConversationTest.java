package io.recallgate.gateway.cli.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.json.MemoryJson;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SampleConversationTest {

    private static List<JsonObject> turns() throws IOException {
        List<JsonObject> turns = new ArrayList<>();
        try (ConversationSource sample = ConversationFiles.sample()) {
            for (SourceItem item = sample.next(); item != null; item = sample.next()) {
                turns.add(((SourceItem.Intact) item).memory());
            }
        }
        return turns;
    }

    @Test
    void everyTurnHasWhatTheGatewayNeedsAndAnIdOfItsOwn() throws IOException {
        List<JsonObject> turns = turns();

        assertThat(turns).hasSizeGreaterThanOrEqualTo(150);
        assertThat(turns).allSatisfy(turn -> {
            assertThat(turn.getString("content")).isNotBlank();
            assertThat(turn.getString("kind")).isEqualTo("turn");
            assertThat(turn.getString("role")).isIn("user", "assistant", "tool");
            assertThat(turn.getString("author")).isNotBlank();
            assertThat(turn.getString("session")).isNotBlank();
        });
        assertThat(turns).extracting(turn -> turn.getString("external_id")).doesNotHaveDuplicates();
    }

    @Test
    void theGatewayTakesItAsItIs() throws IOException {
        List<MemoryDraft> drafts = new ArrayList<>();
        for (JsonObject turn : turns()) {
            drafts.add(MemoryJson.draft(turn, "memories[" + drafts.size() + "]"));
        }

        MemoryJson.requireDistinct(drafts);
        assertThat(drafts).allMatch(draft -> draft.occurredAt() != null);
    }

    @Test
    void sessionsSpanMonthsAndTimeRunsForwardInEach() throws IOException {
        Map<String, Instant> last = new HashMap<>();
        Instant first = null;
        Instant end = Instant.MIN;
        for (JsonObject turn : turns()) {
            Instant at = Instant.parse(turn.getString("occurred_at"));
            Instant before = last.put(turn.getString("session"), at);
            assertThat(before == null || before.isBefore(at)).as(turn.encode()).isTrue();
            first = first == null ? at : first;
            end = at;
        }
        assertThat(last).hasSizeGreaterThanOrEqualTo(5);
        assertThat(Duration.between(first, end)).isGreaterThan(Duration.ofDays(60));
    }

    @Test
    void itHoldsWhatRecallIsShownWith() throws IOException {
        List<JsonObject> turns = turns();
        String all = turns.stream().map(turn -> turn.getString("content")).reduce("", (a, b) -> a + "\n" + b);

        assertThat(all).contains("user_id", "HTTP/2", "parseConfig()", "ベータ版", "离线缓存", "14 March", "11 April");
        JsonObject call = turns.stream()
                .filter(turn -> turn.getJsonObject("metadata", new JsonObject()).containsKey("tool_call"))
                .findFirst()
                .orElseThrow();
        String id = call.getJsonObject("metadata").getJsonObject("tool_call").getString("id");
        assertThat(turns)
                .filteredOn(turn -> turn.getString("role").equals("tool"))
                .singleElement()
                .satisfies(result -> assertThat(result.getJsonObject("metadata").getString("tool_call_id"))
                        .isEqualTo(id));
    }
}
