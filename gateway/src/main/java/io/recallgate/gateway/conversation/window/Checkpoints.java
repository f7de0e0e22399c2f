package io.recallgate.gateway.conversation.window;

import io.recallgate.gateway.conversation.fit.AcceptedWindow;
import io.recallgate.gateway.conversation.transcript.Transcript;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Which of a session's accepted windows a request goes on with. A request that is longer than one goes on with it; one that was
 * wound back, or is a branch, goes on with the last one before the parting; a conversation of its own under the same session,
 * such as that of an agent's agent, with its own or with none.
 */
public final class Checkpoints {

    private Checkpoints() {}

    /** The window with the most messages that suits the request, empty when none does. */
    public static Optional<AcceptedWindow> choose(Collection<AcceptedWindow> stored, Transcript transcript) {
        return stored.stream()
                .filter(window -> window.messages() <= transcript.size())
                .sorted(Comparator.comparingInt(AcceptedWindow::messages).reversed())
                .filter(window -> window.suits(transcript))
                .findFirst();
    }
}
