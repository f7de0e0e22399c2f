package io.recallgate.gateway.conversation.fit;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.RequestBody;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TokenCounterTest {

    private static Count count(Tokenizer tokenizer, String message) {
        Transcript read = Transcript.parse(
                Protocol.ANTHROPIC,
                new RequestBody(
                        ("{\"messages\":[" + message.replace('\'', '"') + "]}").getBytes(StandardCharsets.UTF_8)));
        return new TokenCounter(tokenizer, new TokenCache(10)).whole(read, read.entry(0));
    }

    @Test
    void aTextIsItsTokensAndAFewAround() {
        Count count = count(Tokenizer.O200K, "{'role':'user','content':'hello world'}");
        assertThat(count).isEqualTo(new Count(2 + 2 * MessageTokens.PER_MESSAGE, true));
    }

    @Test
    void escapesAreCountedAsWhatTheyStandFor() {
        assertThat(count(Tokenizer.O200K, "{'role':'user','content':'\\u0068ello world'}"))
                .isEqualTo(count(Tokenizer.O200K, "{'role':'user','content':'hello world'}"));
    }

    @Test
    void aPictureHasAPriceWhateverItsSize() {
        String picture =
                "{'role':'user','content':[{'type':'image','source':{'data':'%s','type':'base64','media_type':'image/png'}}]}";
        Count small = count(Tokenizer.O200K, picture.formatted("iVBO".repeat(100)));
        assertThat(small.tokens()).isBetween(MessageTokens.MEDIA, MessageTokens.MEDIA + 20);
        assertThat(count(Tokenizer.O200K, picture.formatted("iVBO".repeat(100_000))))
                .isEqualTo(small);
        assertThat(count(
                                Tokenizer.O200K,
                                "{'role':'user','content':[{'type':'image_url','image_url':{'url':'https://a.example/b.png'}}]}")
                        .tokens())
                .isGreaterThanOrEqualTo(MessageTokens.MEDIA);
    }

    @Test
    void aDocumentOfPagesCostsMoreThanAPictureAndOneOfTextIsText() {
        String document = "{'role':'user','content':[{'type':'document','source':{'data':'%s','type':'x'}}]}";
        assertThat(count(Tokenizer.O200K, document.formatted("JVBERi" + "A".repeat(1_000_000)))
                        .tokens())
                .isGreaterThan(60_000);
        assertThat(count(Tokenizer.O200K, document.formatted("plain words ".repeat(1_000)))
                        .tokens())
                .isBetween(2_000, 2_100);
    }

    @Test
    void aToolsArgumentsAreCountedWithTheirNames() {
        String call = "{'role':'assistant','content':[{'type':'tool_use','id':'1','name':'f','input':{%s}}]}";
        int bare = count(Tokenizer.O200K, call.formatted("")).tokens();
        assertThat(count(Tokenizer.O200K, call.formatted("'url':'https://a.example'"))
                        .tokens())
                .isBetween(bare + 5, bare + 20);
        assertThat(count(Tokenizer.O200K, call.formatted("'type':{'role':[1,true]}"))
                        .tokens())
                .isGreaterThan(bare + 5);
    }

    @Test
    void aTextThatIsTooLongToBeCountedIsEstimatedAndSaysSo() {
        String text = "word ".repeat(30_000);
        assertThat(Tokenizer.O200K.count(text)).isEqualTo(new Count(TokenEstimate.of(text), false));
        assertThat(Tokenizer.O200K.count("word ".repeat(20_000)).exact()).isTrue();
    }

    @Test
    void aTextThatLooksLikeASpecialTokenIsText() {
        assertThat(Tokenizer.CL100K.count("<|endoftext|>").tokens()).isGreaterThan(1);
    }

    @Test
    void theTokenizerFollowsTheModel() {
        for (String model : new String[] {
            "gpt-4o-mini", "openai/gpt-4.1", "gpt-5.1-codex", "o3", "o4-mini", "chatgpt-4o-latest", "GPT-4o"
        }) {
            assertThat(Tokenizer.of(model)).as(model).isEqualTo(Tokenizer.O200K);
        }
        for (String model : new String[] {"gpt-4", "gpt-4-turbo", "gpt-3.5-turbo-0125"}) {
            assertThat(Tokenizer.of(model)).as(model).isEqualTo(Tokenizer.CL100K);
        }
        for (String model : new String[] {"claude-sonnet-4-5", "", "olmo", "gpt-oss-20b", "llama-3"}) {
            assertThat(Tokenizer.of(model)).as(model).isEqualTo(Tokenizer.ESTIMATE);
        }
    }
}
