package io.recallgate.gateway.conversation.prepare;

import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.recall.api.Scope;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns of this node that are answered and not stored yet. A client has its answer before, and an agent asks on at once: what is
 * loaded for that would lack the block that the conversation was given last, and its newest message be given another one. Only
 * those are waited for that a request goes on from, since agents ask in parallel, too. As many as turns have places. Thread-safe.
 */
final class OngoingCommits {

    private final Map<Key, List<Ongoing>> ongoing = new HashMap<>();

    private record Key(Scope scope, String session) {}

    private record Ongoing(int end, String chain, Future<Void> over) {}

    /**
     * A turn is being stored.
     *
     * @param end after the last message that it has
     * @param chain of that message
     * @param over completes when it is stored, or is not going to be; does not fail
     */
    void begun(Scope scope, String session, int end, String chain, Future<Void> over) {
        Key key = new Key(scope, session);
        Ongoing one = new Ongoing(end, chain, over);
        synchronized (this) {
            ongoing.computeIfAbsent(key, fresh -> new ArrayList<>()).add(one);
        }
        over.onComplete(done -> remove(key, one));
    }

    private synchronized void remove(Key key, Ongoing one) {
        List<Ongoing> rest = ongoing.get(key);
        if (rest != null && rest.remove(one) && rest.isEmpty()) {
            ongoing.remove(key);
        }
    }

    /** Completes on {@code loop}, when all that a conversation goes on from are over; does not fail. */
    Future<Void> of(Scope scope, String session, Transcript transcript, Context loop) {
        List<Future<Void>> waited;
        synchronized (this) {
            waited = ongoing.getOrDefault(new Key(scope, session), List.of()).stream()
                    .filter(one -> transcript.hasChain(one.end() - 1, one.chain()))
                    .map(Ongoing::over)
                    .toList();
        }
        if (waited.isEmpty()) {
            return Future.succeededFuture();
        }
        Promise<Void> here = Promise.promise();
        Future.join(waited).onComplete(over -> loop.runOnContext(turn -> here.complete()));
        return here.future();
    }

    synchronized int size() {
        return ongoing.size();
    }
}
