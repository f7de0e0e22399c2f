package io.recallgate.gateway.conversation.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ContextWindowsTest {

    private final ContextWindows windows = ContextWindows.of("");

    @Test
    void theLongestNameThatFitsCounts() {
        assertThat(windows.find("gpt-4o-mini")).contains(new ContextWindow(128_000, 16_384, 128_000));
        assertThat(windows.find("gpt-5-chat-latest")).contains(new ContextWindow(128_000, 16_384, 128_000));
        assertThat(windows.find("gpt-5-mini")).contains(new ContextWindow(400_000, 128_000, 272_000));
        assertThat(windows.find("gpt-4")).contains(new ContextWindow(8_192, 2_048, 8_192));
        assertThat(windows.find("o1-mini-2024-09-12").orElseThrow().context()).isEqualTo(128_000);
    }

    @Test
    void theOrderOfNamesDoesNotMatter() {
        for (String own : new String[] {"a-b*=5000,a-*=6000", "a-*=6000,a-b*=5000"}) {
            assertThat(ContextWindows.of(own).find("a-b-c").orElseThrow().context())
                    .as(own)
                    .isEqualTo(5_000);
        }
    }

    @Test
    void aProviderBeforeTheNameDoesNotHideIt() {
        for (String model : new String[] {
            "anthropic/claude-sonnet-4.5", "eu.anthropic.claude-3-haiku-20240307-v1:0", "Claude-Opus-4-1"
        }) {
            assertThat(windows.find(model)).as(model).contains(new ContextWindow(200_000, 8_192, 200_000));
        }
    }

    @Test
    void aModelThatNobodyNamedHasNoWindow() {
        assertThat(windows.find("my-own")).isEmpty();
        assertThat(windows.find("gpt-4x")).isEmpty();
        assertThat(windows.find("")).isEmpty();
    }

    @Test
    void anOperatorsWindowComesFirst() {
        ContextWindows own = ContextWindows.of(" My-Own = 32768 , claude-*=1000000,openai/gpt-4o=5000");
        assertThat(own.find("my-own")).contains(new ContextWindow(32_768, 8_192, 32_768));
        assertThat(own.find("claude-sonnet-4-5").orElseThrow().context()).isEqualTo(1_000_000);
        assertThat(own.find("openai/gpt-4o")).contains(new ContextWindow(5_000, 1_250, 5_000));
        assertThat(own.find("gpt-4o").orElseThrow().context()).isEqualTo(128_000);
    }

    @Test
    void aWrongPartIsNamed() {
        assertWrong("gpt", "'gpt' must be MODEL=TOKENS");
        assertWrong("a=5000,=7000", "'=7000' must be MODEL=TOKENS");
        assertWrong("a*b=5000", "'a*b=5000' must be MODEL=TOKENS");
        assertWrong("a=many", "'a=many' must end with a whole number");
        assertWrong("a=100", "'a=100' must have from 1024");
        assertWrong("a=5000,A=6000", "'A=6000' names a model that was named before");
        assertWrong("a=5000,", "'' must be MODEL=TOKENS");
    }

    private static void assertWrong(String overrides, String why) {
        assertThatThrownBy(() -> ContextWindows.of(overrides))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(why);
    }

    @Test
    void theAnswersRoomIsTakenFromTheWindow() {
        ContextWindow gpt5 = windows.find("gpt-5").orElseThrow();
        assertThat(gpt5.budget(null)).isEqualTo(272_000);
        assertThat(gpt5.budget(1_000)).as("never more than a request may be").isEqualTo(272_000);
        assertThat(windows.find("claude-3-opus").orElseThrow().budget(50_000)).isEqualTo(150_000);
        assertThat(windows.find("gpt-4").orElseThrow().budget(9_000)).isZero();
    }
}
