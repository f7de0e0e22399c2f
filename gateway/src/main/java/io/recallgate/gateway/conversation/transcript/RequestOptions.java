package io.recallgate.gateway.conversation.transcript;

import org.jspecify.annotations.Nullable;

/**
 * What a request asks for beside its messages.
 *
 * @param model as the client named it, empty when it named none
 * @param streams whether it asked for a stream
 * @param includesUsage whether it asked for the usage at the end of an OpenAI stream
 * @param outputLimit tokens that the answer may have, null when it does not say
 */
public record RequestOptions(
        String model,
        boolean streams,
        boolean includesUsage,
        @Nullable Integer outputLimit) {}
