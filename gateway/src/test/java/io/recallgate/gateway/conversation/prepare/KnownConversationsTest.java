package io.recallgate.gateway.conversation.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.Scope;
import org.junit.jupiter.api.Test;

class KnownConversationsTest {

    private static final Scope BOB = new Scope("bob", "");

    @Test
    void theNewestCheckpointsOfASessionAreKnownNewestFirstAndEachOnce() {
        KnownConversations known = new KnownConversations(10);
        for (int i = 1; i <= KnownConversations.MAX_CHECKPOINTS + 2; i++) {
            known.accepted(Scope.LOCAL, "s", checkpoint(i));
        }
        known.accepted(Scope.LOCAL, "s", checkpoint(4));

        assertThat(known.checkpoints(Scope.LOCAL, "s"))
                .containsExactly(checkpoint(4), checkpoint(6), checkpoint(5), checkpoint(3));
    }

    @Test
    void anotherOwnerOrSessionKnowsNothingOfIt() {
        KnownConversations known = new KnownConversations(10);
        known.accepted(Scope.LOCAL, "s", checkpoint(1));

        assertThat(known.checkpoints(BOB, "s")).isEmpty();
        assertThat(known.checkpoints(new Scope("local", "p"), "s")).isEmpty();
        assertThat(known.checkpoints(Scope.LOCAL, "t")).isEmpty();
    }

    @Test
    void theConversationThatWasQuietLongestIsForgottenFirst() {
        KnownConversations known = new KnownConversations(2);
        known.accepted(Scope.LOCAL, "a", checkpoint(1));
        known.accepted(Scope.LOCAL, "b", checkpoint(1));
        known.checkpoints(Scope.LOCAL, "a");
        known.accepted(Scope.LOCAL, "c", checkpoint(1));

        assertThat(known.checkpoints(Scope.LOCAL, "b")).isEmpty();
        assertThat(known.checkpoints(Scope.LOCAL, "a")).hasSize(1);
        assertThat(known.checkpoints(Scope.LOCAL, "c")).hasSize(1);
        assertThat(known.size()).isEqualTo(2);
    }

    private static Checkpoint checkpoint(int messages) {
        return new Checkpoint("c" + messages, messages, 0, 0, 10, true, "t");
    }
}
