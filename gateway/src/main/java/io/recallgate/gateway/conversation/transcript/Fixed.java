package io.recallgate.gateway.conversation.transcript;

import java.util.List;

/**
 * What goes along with every turn, whole.
 *
 * @param instructions Anthropic's {@code system}; system and developer messages, wherever they stand
 * @param tools what the model is told of tools and of the answer's form
 * @param leading how many of the instructions are messages with which an OpenAI conversation begins, and none of its entries
 */
public record Fixed(List<Span> instructions, List<Span> tools, int leading) {

    /** Copies the lists. */
    public Fixed {
        instructions = List.copyOf(instructions);
        tools = List.copyOf(tools);
    }
}
