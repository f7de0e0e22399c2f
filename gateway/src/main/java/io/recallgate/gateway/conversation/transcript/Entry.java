package io.recallgate.gateway.conversation.transcript;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message of a request, as positions in its body.
 *
 * <p>Small, since a request may have thousands: with its 32 bytes of chain, which the {@link Transcript} has, some 200 bytes a
 * message of an agent's conversation, where {@code ConversationBench} measures it.
 *
 * @param whole the message, from its brace to its brace
 * @param role as the client wrote it
 * @param name of the speaker, null when the client gave none
 * @param form what its content is
 * @param content the content's value with its quotes or brackets, of length 0 when there is none
 * @param calls ids of the tool calls that it makes, in order
 * @param results ids of the tool calls whose results it carries, in order
 * @param userTurn whether a user speaks in it: the role is {@code user}, and not everything in it is a tool's result
 * @param outputs what stands between the quotes of long texts in tool results
 */
public record Entry(
        Span whole,
        String role,
        @Nullable String name,
        ContentForm form,
        Span content,
        List<String> calls,
        List<String> results,
        boolean userTurn,
        List<Span> outputs) {

    /** Whether it instructs the model: such a message is sent with every turn, wherever it stands. */
    public boolean isInstruction() {
        return role.equals("system") || role.equals("developer");
    }

    /** Copies the lists. */
    public Entry {
        calls = List.copyOf(calls);
        results = List.copyOf(results);
        outputs = List.copyOf(outputs);
    }
}
