package io.recallgate.gateway.conversation.transcript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TranscriptTest {

    private static Transcript openAi(String json) {
        return Transcript.parse(Protocol.OPENAI, body(json));
    }

    private static Transcript anthropic(String json) {
        return Transcript.parse(Protocol.ANTHROPIC, body(json));
    }

    private static RequestBody body(String json) {
        return new RequestBody(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static String cut(Transcript transcript, Span span) {
        return new String(transcript.body().bytes(), span.start(), span.length(), StandardCharsets.UTF_8);
    }

    @Test
    void theRequestsOwnOptionsAreRead() {
        RequestOptions options = openAi(
                        "{'model':'gpt-\\u0034o','stream':true,'stream_options':{'include_usage':true,'x':[1]},"
                                + "'max_tokens':7,'max_completion_tokens':9,'messages':[{'role':'user','content':'hi'}]}")
                .options();
        assertThat(options).isEqualTo(new RequestOptions("gpt-4o", true, true, 9));
        assertThat(anthropic("{'messages':[{'role':'user','content':'hi'}],'stream':null}")
                        .options())
                .isEqualTo(new RequestOptions("", false, false, null));
        // As clients of local servers ask for an answer of any length.
        assertThat(openAi("{'messages':[{'role':'user','content':'hi'}],'max_tokens':-1}")
                        .options()
                        .outputLimit())
                .isNull();
    }

    @Test
    void everyMessageIsFoundWithItsBytesRoleAndForm() {
        Transcript read = openAi("{'messages' : [ {'role':'user','content':'é'} ,\n{'content':null,'role':'assistant'},"
                + "{'role':'user','name':'Ana','content' : [ {'type':'text','text':'a'} ] },{'role':'x'}]}");
        assertThat(read.entries())
                .extracting(entry -> cut(read, entry.whole()).replace('"', '\''))
                .containsExactly(
                        "{'role':'user','content':'é'}",
                        "{'content':null,'role':'assistant'}",
                        "{'role':'user','name':'Ana','content' : [ {'type':'text','text':'a'} ] }",
                        "{'role':'x'}");
        assertThat(read.entries())
                .extracting(entry -> cut(read, entry.content()).replace('"', '\''))
                .containsExactly("'é'", "null", "[ {'type':'text','text':'a'} ]", "");
        assertThat(read.entries())
                .extracting(Entry::form)
                .containsExactly(ContentForm.STRING, ContentForm.NULL, ContentForm.ARRAY, ContentForm.ABSENT);
        assertThat(read.entries()).extracting(Entry::role).containsExactly("user", "assistant", "user", "x");
        assertThat(read.entries()).extracting(Entry::name).containsExactly(null, null, "Ana", null);
        assertThat(read.entries()).extracting(Entry::userTurn).containsExactly(true, false, true, false);
    }

    @Test
    void theInstructionsAtTheBeginningAreNoPartOfTheConversation() {
        Transcript read =
                openAi("{'messages':[{'role':'system','content':'Today is Monday'},{'role':'developer','content':'d'},"
                        + "{'role':'user','content':'a'},{'role':'system','content':'later'}]}");
        Transcript tomorrow =
                openAi("{'messages':[{'role':'system','content':'Today is Tuesday'},{'role':'user','content':'a'}]}");
        assertThat(read.size()).isEqualTo(2);
        assertThat(read.fixed().leading()).isEqualTo(2);
        assertThat(read.fixed().instructions())
                .extracting(span -> cut(read, span).replace('"', '\''))
                .containsExactly(
                        "{'role':'system','content':'Today is Monday'}",
                        "{'role':'developer','content':'d'}",
                        "{'role':'system','content':'later'}");
        assertThat(read.chain(0)).isEqualTo(tomorrow.chain(0)).hasSize(64);
        assertThat(read.chain(1)).isNotEqualTo(read.chain(0));
    }

    @Test
    void theSystemTextAndTheToolsOfAnthropicAreFound() {
        Transcript read = anthropic(
                "{'system':[{'type':'text','text':'s'}],'tools':[{'name':'t'}],'messages':[{'role':'user','content':'a'}]}");
        assertThat(read.fixed().instructions())
                .extracting(span -> cut(read, span).replace('"', '\''))
                .containsExactly("[{'type':'text','text':'s'}]");
        assertThat(read.fixed().tools())
                .extracting(span -> cut(read, span).replace('"', '\''))
                .containsExactly("[{'name':'t'}]");
    }

    @Test
    void callsAndResultsOfBothDialectsAreRead() {
        Transcript open = openAi(
                "{'messages':[{'role':'user','content':'a'},"
                        + "{'role':'assistant','tool_calls':[{'id':'1','function':{'name':'f'}},{'function':{},'id':'2'}]},"
                        + "{'tool_call_id':'1','role':'tool','content':'r'},{'role':'tool','tool_call_id':'2','content':'r'},"
                        + "{'role':'assistant','function_call':{'name':'old'}},{'role':'function','name':'old','content':'x'}]}");
        assertThat(open.entries())
                .extracting(Entry::calls)
                .containsExactly(
                        List.of(), List.of("1", "2"), List.of(), List.of(), List.of("function old"), List.of());
        assertThat(open.entries())
                .extracting(Entry::results)
                .containsExactly(List.of(), List.of(), List.of("1"), List.of("2"), List.of(), List.of("function old"));
        Transcript claude = anthropic(
                "{'messages':[{'role':'user','content':'a'},"
                        + "{'role':'assistant','content':[{'input':{'id':'no'},'type':'tool_use','id':'t1'},{'type':'text','text':'x'}]},"
                        + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':[{'type':'text','text':'r'}]}]}]}");
        assertThat(claude.entry(1).calls()).containsExactly("t1");
        assertThat(claude.entry(2).results()).containsExactly("t1");
        assertThat(claude.entry(2).userTurn())
                .as("only results: no user speaks")
                .isFalse();
    }

    @Test
    void aConversationMayBeginOnlyWithAUserAndNotBetweenACallAndItsResult() {
        Transcript read = anthropic(
                "{'messages':[{'role':'user','content':'a'},"
                        + "{'role':'assistant','content':[{'type':'tool_use','id':'1'}]},"
                        + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'1'},{'type':'text','text':'note'}]},"
                        + "{'role':'assistant','content':'b'},{'role':'user','content':'c'},{'role':'assistant','content':[{'type':'tool_use','id':'1'}]},"
                        + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'1'},{'type':'text','text':'note'}]}]}");
        assertThat(read.entry(2).userTurn()).isTrue();
        List<Integer> starts = new ArrayList<>();
        for (int i = 0; i < read.size(); i++) {
            if (read.mayBegin(i)) {
                starts.add(i);
            }
        }
        assertThat(starts).containsExactly(0, 4);
        assertThat(read.currentTurn()).isEqualTo(4);
    }

    @Test
    void longOutputsOfToolsAreNotedWithoutTheirQuotes() {
        String output = "o".repeat(MessageReader.LONG_OUTPUT_BYTES);
        Transcript open = openAi("{'messages':[{'role':'user','content':'" + output + "'},"
                + "{'content':'" + output + "','role':'tool','tool_call_id':'1'},"
                + "{'role':'tool','content':[{'type':'text','text':'" + output
                + "'}]},{'role':'tool','content':'short'}]}");
        assertThat(open.entries()).extracting(entry -> entry.outputs().size()).containsExactly(0, 1, 1, 0);
        assertThat(cut(open, open.entry(1).outputs().get(0))).isEqualTo(output);
        Transcript claude = anthropic("{'messages':[{'role':'user','content':[{'content':'" + output
                + "','type':'tool_result','tool_use_id':'1'},"
                + "{'type':'tool_result','tool_use_id':'2','content':[{'type':'text','text':'" + output
                + "'},{'type':'text','text':'s'}]},"
                + "{'type':'text','text':'" + output + "'}]}]}");
        assertThat(claude.entry(0).outputs()).hasSize(2);
    }

    @Test
    void theTextOfAMessageIsWhatIsSaidInIt() {
        Transcript read = anthropic("{'messages':[{'role':'user','content':'a\\n\\u00e9'},{'role':'user','content':["
                + "{'type':'text','text':'one'},{'type':'tool_result','tool_use_id':'1','content':[{'type':'text','text':'no'}]},"
                + "{'text':'two','type':'text'},'odd']},{'role':'assistant','content':null},{'role':'x'}]}");
        assertThat(read.text(0)).isEqualTo("a\né");
        assertThat(read.text(1)).isEqualTo("one\ntwo");
        assertThat(read.text(2)).isEmpty();
        assertThat(read.text(3)).isEmpty();
    }

    @Test
    void whatItDoesNotKnowItPassesOver() {
        Transcript read = openAi(
                "{'n':[[{}]],'messages':[{'role':'critic','content':[{'type':'hologram','deep':{'x':[1,-2.5e3,true,null]}},7],'y':{}}],'z':'\\u0000'}");
        assertThat(read.entry(0).role()).isEqualTo("critic");
    }

    @Test
    void aTextEndsAConversationsLinkAndNotAnother() {
        // The same letters, cut at other places.
        assertThat(openAi("{'messages':[{'role':'user','a':'x','b':'y'}]}").chain(0))
                .isNotEqualTo(
                        openAi("{'messages':[{'role':'user','a':'xnbsy'}]}").chain(0));
        assertThat(openAi("{'messages':[{'role':'user','a':false}]}").chain(0))
                .isNotEqualTo(openAi("{'messages':[{'role':'user','a':true}]}").chain(0));
        assertThat(openAi("{'messages':[{'role':'user','content':'a'}]}").chain(0))
                .isNotEqualTo(anthropic("{'messages':[{'role':'user','content':'a'}]}")
                        .chain(0));
    }

    @Test
    void aMarkAnywhereElseDoesNotCount() {
        String with =
                "{'messages':[{'role':'user','x':{'cache_control':%s},'content':[{'type':'odd','deep':[{'cache_control':%s}]}]}]}";
        assertThat(anthropic(with.formatted("1", "2")).chain(0))
                .isEqualTo(anthropic(with.formatted("3", "{'ttl':'1h'}")).chain(0));
    }

    @Test
    void aToolsOwnArgumentNamedLikeAMarkCounts() {
        String with =
                "{'messages':[{'role':'assistant','content':[{'type':'tool_use','id':'1','input':{'cache_control':%s}}]}]}";
        assertThat(anthropic(with.formatted("1")).chain(0))
                .isNotEqualTo(anthropic(with.formatted("2")).chain(0));
    }

    @Test
    void everyRefusalNamesTheField() {
        assertRefused("{'messages':[{'role':'user'},{'role':7}]}", FailureCode.INVALID_FIELD, "messages[1].role");
        assertRefused("{'messages':[{'content':'a'}]}", FailureCode.INVALID_FIELD, "messages[0].role");
        assertRefused("{'messages':[7]}", FailureCode.INVALID_FIELD, "messages[0]");
        assertRefused("{'messages':[{'role':'user','content':7}]}", FailureCode.INVALID_FIELD, "messages[0].content");
        assertRefused("{'messages':{}}", FailureCode.INVALID_FIELD, "messages");
        assertRefused("{'messages':[]}", FailureCode.INVALID_FIELD, "messages");
        assertRefused("{'model':'m'}", FailureCode.INVALID_FIELD, "messages");
        assertRefused("{'model':null,'messages':[{'role':'user'}]}", FailureCode.INVALID_FIELD, "model");
        assertRefused("{'stream':1,'messages':[{'role':'user'}]}", FailureCode.INVALID_FIELD, "stream");
        assertRefused("{'max_tokens':-2,'messages':[{'role':'user'}]}", FailureCode.INVALID_FIELD, "max_tokens");
        assertRefused(
                "{'max_tokens':99999999999,'messages':[{'role':'user'}]}", FailureCode.INVALID_FIELD, "max_tokens");
        assertRefused(
                "{'stream_options':[],'messages':[{'role':'user'}]}", FailureCode.INVALID_FIELD, "stream_options");
        assertRefused("{'messages':[{'role':'user'}],'messages':[]}", FailureCode.INVALID_JSON, "messages");
        assertRefused(
                "{'messages':[{'role':'user','content':'a','content':'b'}]}",
                FailureCode.INVALID_JSON,
                "messages[0].content");
        assertRefused(
                "{'messages':[{'role':'user','content':'a\\u0000'}]}", FailureCode.INVALID_TEXT, "messages[0].content");
        assertRefused(
                "{'messages':[{'role':'user','content':[{'type':'text','text':'ok'},{'text':'\\ud83dx'}]}]}",
                FailureCode.INVALID_TEXT,
                "messages[0].content[1]");
        assertRefused(
                "{'messages':[{'role':'assistant','tool_calls':[{'id':'\\udc00'}]}]}",
                FailureCode.INVALID_TEXT,
                "messages[0].tool_calls");
    }

    @Test
    void whatIsNotJsonIsRefusedWhereverItBreaks() {
        String whole =
                "{'model':'m','messages':[{'role':'user','content':'a\\u00e9\\n'},{'role':'assistant','content':[{'type':'text','text':'b'}],'n':-1.5e3}]}";
        byte[] bytes = body(whole).bytes();
        for (int length = 0; length < bytes.length; length++) {
            byte[] part = java.util.Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> Transcript.parse(Protocol.OPENAI, new RequestBody(part)))
                    .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                            .isEqualTo(FailureCode.INVALID_JSON));
        }
        for (String broken : List.of(
                "[]",
                "7",
                whole + "x",
                whole + "{}",
                "{'messages':[{'role':'user','content':'\\x'}]}",
                "{'messages':[{'role':'user','content':'\\u00g0'}]}",
                "{'messages':[{'role':'user','content':'a\nb'}]}",
                "\uFEFF" + whole,
                "{'messages':[{'role':'user','content':" + "[".repeat(300) + "]".repeat(300) + "}]}")) {
            assertRefused(broken, FailureCode.INVALID_JSON, null);
        }
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() {
        for (byte[] bad : List.of(
                new byte[] {(byte) 0x80},
                new byte[] {(byte) 0xC0, (byte) 0x80},
                new byte[] {(byte) 0xC3, 'x'},
                new byte[] {(byte) 0xE0, (byte) 0x9F, (byte) 0xBF},
                new byte[] {(byte) 0xE4, (byte) 0xB8, 'x'},
                new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
                new byte[] {(byte) 0xF0, (byte) 0x8F, (byte) 0xBF, (byte) 0xBF},
                new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xF5, (byte) 0x80, (byte) 0x80, (byte) 0x80},
                new byte[] {(byte) 0xFF})) {
            byte[] bytes =
                    body("{'messages':[{'role':'user','content':'abcd'}]}").bytes();
            System.arraycopy(bad, 0, bytes, bytes.length - 8, bad.length);
            assertThatThrownBy(() -> Transcript.parse(Protocol.OPENAI, new RequestBody(bytes)))
                    .isInstanceOfSatisfying(FailureException.class, failure -> assertThat(failure.code())
                            .isEqualTo(FailureCode.INVALID_JSON))
                    .hasMessageContaining("UTF-8");
        }
    }

    @Test
    void moreMessagesThanAnybodyTakesAreRefused() {
        String many = "{'role':''},".repeat(100_000);
        assertThat(openAi("{'messages':[" + many.substring(0, many.length() - 1) + "]}")
                        .size())
                .isEqualTo(100_000);
        assertRefused("{'messages':[" + many + "{'role':''}]}", FailureCode.INVALID_FIELD, "messages");
    }

    private static void assertRefused(String json, FailureCode code, @org.jspecify.annotations.Nullable String field) {
        assertThatThrownBy(() -> openAi(json))
                .as(json.substring(0, Math.min(80, json.length())))
                .isInstanceOfSatisfying(FailureException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(code);
                    assertThat(failure.field()).isEqualTo(field);
                });
    }
}
