package io.recallgate.recall.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.recall.api.MemoryKind;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryJsonTest {

    @Test
    void everyFieldOfADraftIsRead() {
        List<MemoryDraft> drafts = MemoryJson.drafts(new JsonObject("""
                {"memories":[{"content":"I moved to Kyoto","kind":"turn","role":"user","author":"Mina","session":"s1",
                "occurred_at":"2026-05-08T13:56:00.123456789+02:00","pinned":true,"external_id":"e1","metadata":{"a":[1,null]}}]}"""));

        assertThat(drafts)
                .containsExactly(new MemoryDraft(
                        "I moved to Kyoto",
                        MemoryKind.TURN,
                        "user",
                        "Mina",
                        "s1",
                        Instant.parse("2026-05-08T11:56:00.123456Z"),
                        true,
                        "e1",
                        new JsonObject().put("a", new JsonArray().add(1).addNull())));
    }

    @Test
    void oneObjectIsOneDraftWithDefaults() {
        MemoryDraft draft =
                MemoryJson.drafts(new JsonObject().put("content", "x")).get(0);

        assertThat(draft.kind()).isEqualTo(MemoryKind.NOTE);
        assertThat(draft.pinned()).isFalse();
        assertThat(draft.metadata()).isEqualTo(new JsonObject());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                              | invalid-field   | content
            {"content":null}                                | invalid-field   | content
            {"content":" \\n"}                              | invalid-field   | content
            {"content":7}                                   | invalid-field   | content
            {"content":"a\\u0000b"}                         | invalid-text    | content
            {"content":"a\\ud83d"}                          | invalid-text    | content
            {"content":"a","colour":"red"}                  | unknown-field   | colour
            {"content":"a","kind":"poem"}                   | invalid-field   | kind
            {"content":"a","pinned":"yes"}                  | invalid-field   | pinned
            {"content":"a","occurred_at":"2026-05-08"}      | invalid-field   | occurred_at
            {"content":"a","occurred_at":"2026-13-08T00:00:00Z"} | invalid-field | occurred_at
            {"content":"a","occurred_at":1700000000}        | invalid-field   | occurred_at
            {"content":"a","external_id":""}                | invalid-field   | external_id
            {"content":"a","session":"\\udc00"}             | invalid-text    | session
            {"content":"a","metadata":[]}                   | invalid-field   | metadata
            {"content":"a","metadata":{"k":{"l":"\\u0000"}}} | invalid-text   | metadata.k.l
            {"content":"a","metadata":{"\\u0000":1}}        | invalid-text    | metadata
            {"memories":[]}                                 | invalid-field   | memories
            {"memories":{}}                                 | invalid-field   | memories
            {"memories":[3]}                                | invalid-field   | memories[0]
            {"memories":[{"content":"a"}],"owner":"b"}      | unknown-field   | owner
            {"memories":[{"content":"a"},{"content":""}]}   | invalid-field   | memories[1].content
            {"memories":[{"content":"a","external_id":"e"},{"content":"b"},{"content":"c","external_id":"e"}]} | invalid-field | memories[2].external_id
            """)
    void whatIsWrongIsRefusedWithItsPath(String body, String code, String field) {
        FailureException failure =
                catchThrowableOfType(FailureException.class, () -> MemoryJson.drafts(new JsonObject(body)));

        assertThat(failure.code().code()).isEqualTo(code);
        assertThat(failure.field()).isEqualTo(field);
    }

    @Test
    void contentIsBoundedInBytesAndNotInCharacters() {
        String allowed = "é".repeat(MemoryJson.MAX_CONTENT_BYTES / 2);
        assertThat(MemoryJson.drafts(new JsonObject().put("content", allowed))).hasSize(1);

        FailureException failure = catchThrowableOfType(
                FailureException.class, () -> MemoryJson.drafts(new JsonObject().put("content", allowed + "x")));
        assertThat(failure.code()).isEqualTo(FailureCode.PAYLOAD_TOO_LARGE);
        assertThat(failure.field()).isEqualTo("content");
    }

    @Test
    void aThousandDraftsAreTakenAndOneMoreIsRefused() {
        JsonArray drafts = new JsonArray();
        for (int i = 0; i < 1_000; i++) {
            drafts.add(new JsonObject().put("content", "m" + i));
        }
        assertThat(MemoryJson.drafts(new JsonObject().put("memories", drafts))).hasSize(1_000);

        drafts.add(new JsonObject().put("content", "one more"));
        assertThat(catchThrowableOfType(
                                FailureException.class,
                                () -> MemoryJson.drafts(new JsonObject().put("memories", drafts)))
                        .field())
                .isEqualTo("memories");
    }

    @Test
    void metadataIsBoundedInDepthAndSize() {
        JsonObject deep = new JsonObject();
        for (int i = 0; i < 40; i++) {
            deep = new JsonObject().put("d", deep);
        }
        JsonObject tooDeep = new JsonObject().put("content", "a").put("metadata", deep);
        JsonObject tooLarge = new JsonObject()
                .put("content", "a")
                .put("metadata", new JsonObject().put("k", "x".repeat(MetadataRules.MAX_BYTES)));

        assertThat(catchThrowableOfType(FailureException.class, () -> MemoryJson.drafts(tooDeep))
                        .code())
                .isEqualTo(FailureCode.INVALID_FIELD);
        assertThat(catchThrowableOfType(FailureException.class, () -> MemoryJson.drafts(tooLarge))
                        .code())
                .isEqualTo(FailureCode.PAYLOAD_TOO_LARGE);
    }

    @Test
    void aPatchMergesObjectsAndNullClears() {
        MemoryDraft draft = MemoryJson.draft(new JsonObject("""
                {"content":"a","author":"Mina","pinned":true,"metadata":{"keep":1,"drop":2,"deep":{"x":1}}}"""), "");

        MemoryDraft patched = MemoryJson.apply(MemoryJson.patch(new JsonObject("""
                {"author":null,"pinned":null,"metadata":{"drop":null,"deep":{"y":2}}}""")), draft);

        assertThat(patched.content()).isEqualTo("a");
        assertThat(patched.author()).isNull();
        assertThat(patched.pinned()).isFalse();
        assertThat(patched.metadata()).isEqualTo(new JsonObject("{\"keep\":1,\"deep\":{\"x\":1,\"y\":2}}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"content":null}      | invalid-field | content
            {"id":"x"}            | unknown-field | id
            {"metadata":"x"}      | invalid-field | metadata
            {"author":"a\\u0000"} | invalid-text  | author
            """)
    void aWrongPatchIsRefusedWithItsPath(String body, String code, String field) {
        FailureException failure =
                catchThrowableOfType(FailureException.class, () -> MemoryJson.patch(new JsonObject(body)));

        assertThat(failure.code().code()).isEqualTo(code);
        assertThat(failure.field()).isEqualTo(field);
    }
}
