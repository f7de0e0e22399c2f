package io.recallgate.gateway.conversation.upstream;

import io.recallgate.gateway.conversation.turn.Protocol;
import java.net.URI;

/**
 * Who answers conversations, and for how long they are waited for. Read for each request.
 *
 * @param demo whether to answer here instead, without any provider
 * @param openAi base URL for OpenAI's protocol, with a host and without user, query and fragment
 * @param anthropic base URL for Anthropic's protocol
 * @param connectMillis bound on getting a connection
 * @param firstByteMillis bound from the connection to the head of the answer
 * @param silenceMillis bound between two pieces of the answer
 */
public record UpstreamOptions(
        boolean demo, URI openAi, URI anthropic, long connectMillis, long firstByteMillis, long silenceMillis) {

    private static final String VERSION = "/v1";

    /** The same with another base for {@code protocol}. */
    public UpstreamOptions with(Protocol protocol, URI base) {
        return new UpstreamOptions(
                demo,
                protocol == Protocol.OPENAI ? base : openAi,
                protocol == Protocol.ANTHROPIC ? base : anthropic,
                connectMillis,
                firstByteMillis,
                silenceMillis);
    }

    /** The base URL of a protocol's provider. */
    public URI base(Protocol protocol) {
        return switch (protocol) {
            case OPENAI -> openAi;
            case ANTHROPIC -> anthropic;
        };
    }

    /**
     * The path of a protocol's provider, as its official client would make it of the same base URL. OpenAI's client has the
     * version in its base URL and adds the rest, so that a base with a path is taken as it is; Anthropic's adds both. A base
     * without a path, or one for Anthropic that has the version, can only mean one thing and gets it.
     */
    public String path(Protocol protocol) {
        String path = base(protocol).getRawPath();
        String prefix = path == null ? "" : path.replaceAll("/+$", "");
        return switch (protocol) {
            case OPENAI -> (prefix.isEmpty() ? VERSION : prefix) + "/chat/completions";
            case ANTHROPIC -> (prefix.endsWith(VERSION) ? prefix : prefix + VERSION) + "/messages";
        };
    }
}
