package io.recallgate.gateway.conversation.prepare;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.assemble.Splice;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.prepare.Selection.Chosen;
import io.recallgate.gateway.conversation.remember.PlacedMessage;
import io.recallgate.gateway.conversation.remember.TurnDrafts;
import io.recallgate.gateway.conversation.reply.AssistantReply;
import io.recallgate.gateway.conversation.reply.ReplyReader;
import io.recallgate.gateway.conversation.transcript.Entry;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.ResponseTap;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.recall.api.AcceptedTurn;
import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A turn that is ready to be sent, and what is to be remembered of it afterwards. */
final class SplicedTurn implements PreparedTurn {

    /** The client has its answer: this only bounds what a database that hangs can hold. */
    private static final long COMMIT_MILLIS = 20_000;

    /** Below this, reading messages takes less than handing it over. */
    private static final int READ_INLINE_BYTES = 32 * 1024;

    /** As the body was read: a file in a message is one string, and may be longer than what Jackson takes by itself. */
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build());

    private final MemoryPreparation node;
    private final TurnRequest request;
    private final TurnSession session;
    private final Sent sent;
    private final Splice splice;
    private final Map<String, String> labels;
    private @Nullable ReplyReader reader;

    /**
     * What is sent.
     *
     * @param rung that was taken; only a turn that was prepared in full moves the conversation's checkpoint
     * @param plan of it
     * @param fresh what the newest message was given in this turn
     * @param tokenizer whose tokens the plan has
     */
    record Sent(Rung rung, FitPlan plan, Chosen fresh, Tokenizer tokenizer) {}

    SplicedTurn(
            MemoryPreparation node,
            TurnRequest request,
            TurnSession session,
            Sent sent,
            Splice splice,
            Map<String, String> labels) {
        this.node = node;
        this.request = request;
        this.session = session;
        this.sent = sent;
        this.splice = splice;
        this.labels = labels;
    }

    @Override
    public List<Buffer> body() {
        return splice.body();
    }

    @Override
    public Map<String, String> labels() {
        return labels;
    }

    @Override
    public String model() {
        return session.transcript().options().model();
    }

    @Override
    public boolean streams() {
        return session.transcript().options().streams();
    }

    @Override
    public ResponseTap tap(int status, String contentType) {
        ReplyReader reading = new ReplyReader(request.protocol(), contentType);
        reader = reading;
        return reading;
    }

    @Override
    public Future<Void> commit() {
        ReplyReader read = reader;
        if (read == null) {
            return Future.failedFuture(notRead());
        }
        Deadline deadline = Deadline.afterMillis(node.parts().clock(), COMMIT_MILLIS);
        return known(deadline).compose(asked -> store(read, deadline));
    }

    /**
     * What was remembered before. A turn that had no time to ask asks now: else all of its conversation would be written anew,
     * with memories that were removed since.
     */
    private Future<Void> known(Deadline deadline) {
        return session.isKnown()
                ? Future.succeededFuture()
                : node.parts()
                        .conversations()
                        .load(request.scope(), session.name(), List.of(), deadline, new CancelSignal())
                        .onSuccess(session::found)
                        .mapEmpty();
    }

    private Future<Void> store(ReplyReader read, Deadline deadline) {
        int from = session.remembered();
        long bytes = read.unreadBytes() + bytesFrom(from);
        Future<AcceptedTurn> turn = bytes < READ_INLINE_BYTES
                ? Future.succeededFuture(read).map(reading -> accepted(reading, from))
                : node.parts().vertx().executeBlocking(() -> accepted(read, from), false);
        return turn.compose(accepted -> node.parts()
                .conversations()
                .accept(request.scope(), accepted, deadline)
                .onSuccess(stored -> {
                    Checkpoint checkpoint = accepted.checkpoint();
                    if (checkpoint != null) {
                        node.known().accepted(request.scope(), session.name(), checkpoint);
                    }
                }));
    }

    private long bytesFrom(int from) {
        Transcript transcript = session.transcript();
        return from >= transcript.size()
                ? 0
                : transcript.entry(transcript.size() - 1).whole().end()
                        - transcript.entry(from).whole().start();
    }

    private AcceptedTurn accepted(ReplyReader read, int from) {
        AssistantReply reply = read.reply().orElseThrow(SplicedTurn::notRead);
        Transcript transcript = session.transcript();
        String chain = transcript.chain(transcript.size() - 1);
        List<MemoryDraft> drafts = request.memory().remembers()
                ? TurnDrafts.of(
                        new TurnDrafts.Origin(
                                request.protocol(),
                                session.name(),
                                model(),
                                node.parts().clock().instant()),
                        messages(transcript, from),
                        chain,
                        reply)
                : List.of();
        return new AcceptedTurn(
                session.name(), drafts, checkpoint(), injection(), sent.fresh().versions());
    }

    /** One whose answer cannot be read has nothing that could be remembered, and nobody knows how it went. */
    private static FailureException notRead() {
        return new FailureException(
                FailureCode.UPSTREAM_UNREADABLE, "the answer is none that could be read as a whole");
    }

    private @Nullable Checkpoint checkpoint() {
        return sent.rung() == Rung.FULL
                ? TurnSession.checkpoint(sent.plan().window(session.transcript(), sent.tokenizer()))
                : null;
    }

    private io.recallgate.recall.api.@Nullable Injection injection() {
        int newest = session.transcript().currentTurn();
        return sent.fresh().block().isEmpty() || !splice.injected().contains(newest)
                ? null
                : sent.fresh().injection(session.transcript().chain(newest));
    }

    /** Those that are new, after the one that may call the tools whose results they bring. */
    private List<PlacedMessage> messages(Transcript transcript, int from) {
        List<PlacedMessage> placed = new ArrayList<>();
        // The answer to the turn before was remembered when it was relayed; here is the client's copy of it.
        String before = from == 0 ? "" : transcript.chain(from - 1);
        for (int i = from; i < transcript.size(); i++) {
            String chain = transcript.chain(i);
            Entry entry = transcript.entry(i);
            boolean remembered = i == from && from > 0 && entry.role().equals("assistant");
            try {
                placed.add(new PlacedMessage(
                        before,
                        chain,
                        JSON.readTree(
                                transcript.body().bytes(),
                                entry.whole().start(),
                                entry.whole().length()),
                        remembered));
            } catch (IOException e) {
                throw new UncheckedIOException("bytes that were JSON before are none now", e);
            }
            before = chain;
        }
        return placed;
    }
}
