package io.recallgate.recall.jobs;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.EmbedResult;
import io.recallgate.embedding.api.Embedder;
import io.recallgate.embedding.api.EmbeddingVector;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.recall.jobs.EmbeddedJob.EmbeddedPassage;
import io.recallgate.recall.passage.Passages;
import io.recallgate.recall.passage.Passages.Passage;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Embeds a memory's text passage by passage (CONTRACTS C15a), some of them in a request. The passages are cut by
 * estimate; one that the model labels as cut to its window is cut smaller and embedded again, so that the result is
 * right without a tokenizer. What was embedded before a failure is kept for the next attempt (CONTRACTS A14).
 * Thread-safe.
 */
final class PassageEmbedder {

    /**
     * A memory of ordinary prose has so many at some 450 KB. They cost a worker some seconds, and recall a scan of as
     * many vectors; text beyond them is found by its words, and labelled.
     */
    static final int MAX_PASSAGES = 256;

    /** Rows of a request: a slice of the pool, so that one long memory is no wall before the others. */
    static final int REQUEST_ROWS = 8;

    /** Charged bytes of a request, one row excepted: 64 jobs in flight stay below the 7 MiB that a pool queues. */
    static final long REQUEST_BYTES = 96 * 1024;

    /** How often a passage is cut smaller: the estimate would have to be off by thirty. */
    private static final int MAX_CUTS = 5;

    /** Half-done memories that are kept: as many as the pool keeps results of. */
    private static final int KEPT = 8;

    private final Embedder embedder;
    private final ActiveModel model;
    private final Clock clock;
    private final long embedMillis;
    private final Map<Key, Work> kept = new LinkedHashMap<>();

    PassageEmbedder(Embedder embedder, ActiveModel model, Clock clock, JobOptions options) {
        this.embedder = embedder;
        this.model = model;
        this.clock = clock;
        this.embedMillis = options.embedMillis();
    }

    /** What the passages depend on. */
    private record Key(
            UUID memoryId, Buffer contentHash, @Nullable String author, String fingerprint, int maxTokens) {}

    private record Pending(Passage passage, int cuts) {}

    private record Done(Passage passage, EmbeddingVector vector, boolean incomplete) {}

    /** How far a memory is. Used by one attempt at a time. */
    private static final class Work {
        private final Key key;
        private final Passages uncut;
        /** Cut and not embedded, the next first. */
        private final Deque<Pending> pending = new ArrayDeque<>();

        private final List<Done> done = new ArrayList<>();
        private String fingerprint;
        private int requests;

        private Work(ClaimedJob job, Key key) {
            this.key = key;
            this.fingerprint = key.fingerprint();
            this.uncut = new Passages(job.content(), Passages.room(key.maxTokens(), job.opening()));
        }

        /** Cuts no further than the next request needs: a long text would hold up the event loop. */
        private @Nullable Pending next() {
            if (pending.isEmpty() && done.size() < MAX_PASSAGES) {
                Passage passage = uncut.next();
                if (passage != null) {
                    pending.add(new Pending(passage, 0));
                }
            }
            return pending.poll();
        }

        /** Whether there was more than a memory may have passages. */
        private boolean isCutShort() {
            return !pending.isEmpty() || uncut.restChars() > 0;
        }
    }

    /**
     * Embeds all passages of the job's content.
     *
     * @return empty if the model was replaced on the way
     */
    Future<Optional<EmbeddedJob>> embed(ClaimedJob job, CancelSignal cancel) {
        return model.recent().compose(identity -> next(job, begin(job, identity), cancel));
    }

    /** One text that is not part of a job. */
    Future<EmbedResult> embed(String id, List<String> texts, CancelSignal cancel) {
        List<EmbedInput> inputs =
                texts.stream().<EmbedInput>map(EmbedInput.Text::new).toList();
        Deadline deadline = Deadline.afterMillis(clock, embedMillis);
        try {
            return embedder.embed(
                    new EmbedRequest(id, inputs, InputType.DOCUMENT, Priority.DOCUMENT, deadline, cancel));
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private Future<Optional<EmbeddedJob>> next(ClaimedJob job, Work work, CancelSignal cancel) {
        List<Pending> rows = take(job, work);
        if (rows.isEmpty()) {
            return Future.succeededFuture(Optional.of(finished(job, work)));
        }
        String id = "job-" + job.id() + "-" + job.attempt() + (work.requests++ == 0 ? "" : "-" + work.requests);
        List<String> texts =
                rows.stream().map(row -> job.opening() + row.passage().text()).toList();
        return embed(id, texts, cancel)
                .compose(
                        result -> {
                            String fingerprint = result.model().fingerprint();
                            if (!work.done.isEmpty() && !fingerprint.equals(work.fingerprint)) {
                                return Future.succeededFuture(Optional.empty());
                            }
                            work.fingerprint = fingerprint;
                            take(work, rows, result);
                            return next(job, work, cancel);
                        },
                        error -> {
                            putBack(work, rows);
                            keep(work);
                            return Future.failedFuture(error);
                        });
    }

    private static List<Pending> take(ClaimedJob job, Work work) {
        List<Pending> rows = new ArrayList<>();
        long bytes = 0;
        while (rows.size() < Math.min(REQUEST_ROWS, MAX_PASSAGES - work.done.size())) {
            Pending row = work.next();
            if (row == null) {
                break;
            }
            bytes += 3L * (job.opening().length() + row.passage().text().length());
            if (!rows.isEmpty() && bytes > REQUEST_BYTES) {
                work.pending.addFirst(row);
                break;
            }
            rows.add(row);
        }
        return rows;
    }

    private static void take(Work work, List<Pending> rows, EmbedResult result) {
        List<Pending> again = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            Pending row = rows.get(i);
            boolean truncated = result.truncated().contains(i);
            List<Passage> smaller = truncated && row.cuts() < MAX_CUTS ? Passages.smaller(row.passage()) : List.of();
            if (smaller.size() > 1) {
                smaller.forEach(passage -> again.add(new Pending(passage, row.cuts() + 1)));
            } else {
                work.done.add(new Done(row.passage(), result.vectors().get(i), truncated));
            }
        }
        putBack(work, again);
    }

    private static void putBack(Work work, List<Pending> rows) {
        for (int i = rows.size() - 1; i >= 0; i--) {
            work.pending.addFirst(rows.get(i));
        }
    }

    private static EmbeddedJob finished(ClaimedJob job, Work work) {
        work.done.sort(Comparator.comparingInt(done -> done.passage().offset()));
        List<EmbeddedPassage> passages = new ArrayList<>();
        for (Done done : work.done) {
            boolean last = passages.size() == work.done.size() - 1;
            passages.add(new EmbeddedPassage(done.vector(), done.incomplete() || (last && work.isCutShort())));
        }
        return new EmbeddedJob(job, work.fingerprint, passages);
    }

    private Work begin(ClaimedJob job, ModelIdentity identity) {
        Key key =
                new Key(job.memoryId(), job.contentHash(), job.author(), identity.fingerprint(), identity.maxTokens());
        synchronized (kept) {
            Work work = kept.remove(key);
            if (work != null) {
                return work;
            }
        }
        return new Work(job, key);
    }

    private void keep(Work work) {
        if (work.done.isEmpty()) {
            return;
        }
        synchronized (kept) {
            kept.put(work.key, work);
            if (kept.size() > KEPT) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
    }
}
