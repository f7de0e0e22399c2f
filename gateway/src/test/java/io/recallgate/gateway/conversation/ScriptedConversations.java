package io.recallgate.gateway.conversation;

import io.recallgate.recall.api.AcceptedTurn;
import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.Conversation;
import io.recallgate.recall.api.ConversationService;
import io.recallgate.recall.api.Injection;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.Scope;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Conversations in memory, whose answers a test may hold back or break. Thread-safe. */
public final class ScriptedConversations implements ConversationService {

    /** Every turn that was accepted, in order. */
    public final List<AcceptedTurn> accepted = new CopyOnWriteArrayList<>();

    /** What {@link #pinned} answers with. */
    public final List<Memory> pinned = new CopyOnWriteArrayList<>();

    /** The signals of the loads, in order. */
    public final List<CancelSignal> cancels = new CopyOnWriteArrayList<>();

    private final Map<String, Checkpoint> checkpoints = new LinkedHashMap<>();
    private final Map<String, Injection> injections = new LinkedHashMap<>();

    private volatile Supplier<Future<Void>> before = Future::succeededFuture;
    private volatile Supplier<Future<Void>> beforeAccept = Future::succeededFuture;

    /** What reading waits for, or fails with, from now on. */
    public void reading(Supplier<Future<Void>> first) {
        before = first;
    }

    /** What writing waits for, or fails with, from now on. */
    public void writing(Supplier<Future<Void>> first) {
        beforeAccept = first;
    }

    @Override
    public Future<Conversation> load(
            Scope scope, String session, List<String> chains, Deadline deadline, CancelSignal cancel) {
        cancels.add(cancel);
        return before.get().map(ready -> known(scope, session, chains));
    }

    @Override
    public Future<List<Memory>> pinned(Scope scope, int limit, Deadline deadline, CancelSignal cancel) {
        return before.get().map(ready -> pinned.stream().limit(limit).toList());
    }

    @Override
    public Future<Void> accept(Scope scope, AcceptedTurn turn, Deadline deadline) {
        return beforeAccept.get().onSuccess(ready -> {
            accepted.add(turn);
            synchronized (this) {
                String key = key(scope, turn.session());
                Checkpoint checkpoint = turn.checkpoint();
                if (checkpoint != null) {
                    checkpoints.put(key + checkpoint.chain(), checkpoint);
                }
                Injection injection = turn.injection();
                if (injection != null) {
                    injections.put(key + injection.chain(), injection);
                }
            }
        });
    }

    private synchronized Conversation known(Scope scope, String session, List<String> chains) {
        String key = key(scope, session);
        List<Checkpoint> newestFirst = new ArrayList<>();
        checkpoints.forEach((name, checkpoint) -> {
            if (name.startsWith(key)) {
                newestFirst.add(0, checkpoint);
            }
        });
        List<Injection> wanted = new ArrayList<>();
        chains.forEach(chain -> {
            Injection injection = injections.get(key + chain);
            if (injection != null) {
                wanted.add(injection);
            }
        });
        return new Conversation(newestFirst, wanted);
    }

    private static String key(Scope scope, String session) {
        return scope.owner() + "/" + scope.project() + "/" + session + "/";
    }
}
