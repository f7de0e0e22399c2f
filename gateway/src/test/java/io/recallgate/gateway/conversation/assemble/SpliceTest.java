package io.recallgate.gateway.conversation.assemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SpliceTest {

    private static Transcript read(Protocol protocol, String json) {
        return Transcript.parse(
                protocol, new RequestBody(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    private static FitPlan from(int firstKept) {
        return new FitPlan(firstKept, 0, 0, 0, false, false);
    }

    private static String spliced(Splice splice) {
        Buffer all = Buffer.buffer();
        splice.body().forEach(all::appendBuffer);
        return all.toString().replace('"', '\'');
    }

    private static String spliced(Protocol protocol, String json, SortedMap<Integer, String> blocks) {
        return spliced(Splice.of(read(protocol, json), FitPlan.WHOLE, blocks));
    }

    private static SortedMap<Integer, String> at(int index, String block) {
        return new TreeMap<>(Map.of(index, block));
    }

    @Test
    void withNothingToDoTheBodyIsTheClientsOwnBytesAndNotACopy() {
        Transcript read = read(Protocol.OPENAI, "{'messages':[{'role':'user','content':'a'}] } ");
        Splice splice = Splice.of(read, FitPlan.WHOLE, new TreeMap<>());
        assertThat(splice.body()).hasSize(1);
        assertThat(spliced(splice)).isEqualTo("{'messages':[{'role':'user','content':'a'}] } ");
        read.body().bytes()[0] = ' ';
        assertThat(spliced(splice)).as("wrapped").startsWith(" ");
    }

    @Test
    void aBlockGoesBehindTheTextOfAnOpenAiMessage() {
        assertThat(spliced(
                        Protocol.OPENAI,
                        "{'messages':[{'content' : 'a\\n' , 'role':'user'}]}",
                        at(0, "\"b\"\\\n\u0001é")))
                .isEqualTo("{'messages':[{'content' : 'a\\n\\n\\n\\'b\\'\\\\\\n\\u0001é' , 'role':'user'}]}");
    }

    @Test
    void aTextOfAnAnthropicMessageAndItsBlockAreTwoBlocksHoweverTheClientWritesIt() {
        String block = "{'type':'text','text':'B'}";
        assertThat(spliced(Protocol.ANTHROPIC, "{'messages':[{'role':'user','content':'a'}]}", at(0, "B")))
                .isEqualTo("{'messages':[{'role':'user','content':[{'type':'text','text':'a'}," + block + "]}]}");
        assertThat(spliced(
                        Protocol.ANTHROPIC,
                        "{'messages':[{'role':'user','content':[{'type':'text','text':'a'}]}]}",
                        at(0, "B")))
                .isEqualTo("{'messages':[{'role':'user','content':[{'type':'text','text':'a'}," + block + "]}]}");
    }

    @Test
    void aBlockGoesBehindTheLastElementAndItsMark() {
        String marked = "{'type':'text','text':'a]','cache_control':{'type':'ephemeral'}}";
        assertThat(spliced(
                        Protocol.ANTHROPIC,
                        "{'messages':[{'role':'user','content':[ " + marked + " \n ]}]}",
                        at(0, "B")))
                .isEqualTo("{'messages':[{'role':'user','content':[ " + marked + ",{'type':'text','text':'B'} \n ]}]}");
        String results = "{'type':'tool_result','tool_use_id':'1'},{'type':'text','text':'note'}";
        assertThat(spliced(
                        Protocol.ANTHROPIC, "{'messages':[{'role':'user','content':[" + results + "]}]}", at(0, "B")))
                .isEqualTo("{'messages':[{'role':'user','content':[" + results + ",{'type':'text','text':'B'}]}]}");
    }

    @Test
    void aMessageWithoutAPlaceForABlockIsLeftAloneAndNamed() {
        String json =
                "{'messages':[{'role':'user','content':null},{'role':'assistant','content':'a'},{'role':'user','content':[]},"
                        + "{'role':'user'},{'role':'user','content':[{'type':'tool_result','tool_use_id':'1'}]},{'role':'user','content':'x'}]}";
        SortedMap<Integer, String> blocks = new TreeMap<>();
        for (int i = 0; i < 6; i++) {
            blocks.put(i, "B");
        }
        Splice splice = Splice.of(read(Protocol.OPENAI, json), FitPlan.WHOLE, blocks);
        assertThat(splice.refused()).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        assertThat(splice.injected()).containsExactly(5);
        assertThat(spliced(splice)).isEqualTo(json.replace("'x'", "'x\\n\\nB'"));
    }

    @Test
    void messagesThatAreLeftOutTakeTheirCommasAndBlocksWithThem() {
        Transcript read = read(
                Protocol.OPENAI,
                "{'messages': [ {'role':'system','content':'s'} , {'role':'user','content':'a'} , {'role':'assistant','content':'b'},\n{'role':'user','content':'c'} ] ,'z':1}");
        SortedMap<Integer, String> blocks = at(0, "gone");
        blocks.put(2, "B");
        Splice splice = Splice.of(read, from(2), blocks);
        assertThat(spliced(splice))
                .isEqualTo(
                        "{'messages': [ {'role':'system','content':'s'} , {'role':'user','content':'c\\n\\nB'} ] ,'z':1}");
        assertThat(splice.injected()).containsExactly(2);
        assertThat(splice.refused()).isEmpty();
    }

    @Test
    void aShortenedOutputKeepsItsBeginningAndItsEnd() {
        String output = "\\ud83e\\udd8a".repeat(128) + "x".repeat(5_000) + "🦊é".repeat(300) + "end";
        Transcript read = read(
                Protocol.OPENAI,
                "{'messages':[{'role':'user','content':'a'},{'role':'tool','content':'" + output
                        + "'},{'role':'user','content':'b'}]}");
        String body = spliced(Splice.of(read, new FitPlan(0, 2, 0, 0, false, false), new TreeMap<>()));
        // 5,000 and what is left of the foxes: 512 bytes are 85 pairs of six, the end of three and the rest of a
        // character.
        assertThat(body)
                .isEqualTo("{'messages':[{'role':'user','content':'a'},{'role':'tool','content':'"
                        + "\\ud83e\\udd8a".repeat(128) + "\\n[… 5431 characters left out by recallgate …]\\n" + "é"
                        + "🦊é".repeat(84) + "end" + "'},{'role':'user','content':'b'}]}");
    }
}
