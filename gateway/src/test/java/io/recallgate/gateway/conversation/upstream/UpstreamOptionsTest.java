package io.recallgate.gateway.conversation.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.conversation.turn.Protocol;
import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UpstreamOptionsTest {

    @ParameterizedTest
    @CsvSource({
        "OPENAI, https://api.openai.com, /v1/chat/completions",
        "OPENAI, https://api.openai.com/, /v1/chat/completions",
        "OPENAI, https://api.openai.com/v1, /v1/chat/completions",
        "OPENAI, https://api.openai.com/v1/, /v1/chat/completions",
        "OPENAI, https://openrouter.ai/api/v1, /api/v1/chat/completions",
        "OPENAI, https://example.com/v1beta/openai/, /v1beta/openai/chat/completions",
        "ANTHROPIC, https://api.anthropic.com, /v1/messages",
        "ANTHROPIC, https://api.anthropic.com/, /v1/messages",
        "ANTHROPIC, https://api.anthropic.com/v1, /v1/messages",
        "ANTHROPIC, https://example.com/anthropic/, /anthropic/v1/messages",
    })
    void aBaseUrlIsWhatTheProtocolsOwnClientTakes(Protocol protocol, URI base, String path) {
        UpstreamOptions options = new UpstreamOptions(false, base, base, 1, 1, 1);

        assertThat(options.path(protocol)).isEqualTo(path);
    }
}
