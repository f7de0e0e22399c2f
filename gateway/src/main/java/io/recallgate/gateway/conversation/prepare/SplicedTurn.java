package io.recallgate.gateway.conversation.prepare;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.conversation.assemble.Splice;
import io.recallgate.gateway.conversation.fit.FitPlan;
import io.recallgate.gateway.conversation.fit.Tokenizer;
import io.recallgate.gateway.conversation.prepare.OwedTurns.Owed;
import io.recallgate.gateway.conversation.prepare.Selection.Chosen;
import io.recallgate.gateway.conversation.remember.PlacedMessage;
import io.recallgate.gateway.conversation.remember.TurnDrafts;
import io.recallgate.gateway.conversation.reply.AssistantReply;
import io.recallgate.gateway.conversation.reply.ReplyReader;
import io.recallgate.gateway.conversation.transcript.Entry;
import io.recallgate.gateway.conversation.transcript.Transcript;
import io.recallgate.gateway.conversation.turn.PreparedTurn;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.turn.ResponseTap;
import io.recallgate.gateway.conversation.turn.TurnRequest;
import io.recallgate.recall.api.AcceptedTurn;
import io.recallgate.recall.api.Checkpoint;
import io.recallgate.recall.api.MemoryDraft;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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
     * @param recall that was asked for it; null for none
     */
    record Sent(
            Rung rung,
            FitPlan plan,
            Chosen fresh,
            Tokenizer tokenizer,
            @Nullable UUID recall) {}

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
        Promise<Void> over = Promise.promise();
        if (session.end() > 0) {
            node.commits()
                    .begun(
                            request.scope(),
                            session.name(),
                            session.end(),
                            session.transcript().chain(session.end() - 1),
                            over.future());
        }
        // What is thrown fails it as well: nobody waits for a turn that is not being stored.
        return Future.<Void>succeededFuture().compose(begun -> store(read)).onComplete(done -> over.complete());
    }

    private Future<Void> store(ReplyReader read) {
        Deadline deadline = Deadline.afterMillis(node.parts().clock(), COMMIT_MILLIS);
        List<Owed> owed = request.memory().remembers()
                ? node.owed().of(request.scope(), session.name(), session.transcript())
                : List.of();
        BitSet said = said(owed);
        Future<AcceptedTurn> turn = read.unreadBytes() + bytes(said) < READ_INLINE_BYTES
                ? Future.succeededFuture(read).map(reading -> accepted(reading, said))
                : node.parts().vertx().executeBlocking(() -> accepted(read, said), false);
        return turn.compose(accepted -> node.parts()
                .conversations()
                .accept(request.scope(), accepted, deadline)
                .onComplete(stored -> settled(accepted, owed, stored.succeeded())));
    }

    /** The next turn makes up for one that was not stored. */
    private void settled(AcceptedTurn accepted, List<Owed> owed, boolean stored) {
        if (!stored) {
            if (request.memory().remembers() && session.end() > 0) {
                node.owed()
                        .owe(
                                request.scope(),
                                session.name(),
                                new Owed(
                                        session.brought(),
                                        session.end(),
                                        session.transcript().chain(session.end() - 1)));
            }
            return;
        }
        node.owed().paid(request.scope(), session.name(), owed);
        Checkpoint checkpoint = accepted.checkpoint();
        if (checkpoint != null) {
            node.known().accepted(request.scope(), session.name(), checkpoint);
        }
    }

    /** The messages that are remembered with this turn: what it brought, and what earlier ones brought that could not be stored. */
    private BitSet said(List<Owed> owed) {
        BitSet said = new BitSet();
        if (request.memory().remembers()) {
            said.set(session.brought(), session.end());
            // With their answers, which only the client has by now.
            owed.forEach(turn -> said.set(turn.from(), Math.min(turn.end() + 1, session.end())));
        }
        return said;
    }

    private long bytes(BitSet said) {
        return said.stream()
                .mapToLong(index -> session.transcript().entry(index).whole().length())
                .sum();
    }

    private AcceptedTurn accepted(ReplyReader read, BitSet said) {
        AssistantReply reply = read.reply().orElseThrow(SplicedTurn::notRead);
        List<MemoryDraft> drafts = request.memory().remembers()
                ? TurnDrafts.of(
                        new TurnDrafts.Origin(
                                request.protocol(),
                                session.name(),
                                session.isNamed(),
                                model(),
                                node.parts().clock().instant()),
                        messages(said),
                        before(answerAt()),
                        begun(reply))
                : List.of();
        return new AcceptedTurn(
                session.name(),
                drafts,
                checkpoint(),
                injection(reply),
                sent.fresh().versions(),
                sent.recall());
    }

    /** Where the answer begins. With Anthropic it goes on with what stands at the end of the request as its beginning. */
    private int answerAt() {
        return request.protocol() == Protocol.ANTHROPIC
                ? session.end()
                : session.transcript().size();
    }

    private AssistantReply begun(AssistantReply reply) {
        StringBuilder text = new StringBuilder();
        for (int i = answerAt(); i < session.transcript().size(); i++) {
            text.append(session.transcript().text(i));
        }
        return text.isEmpty() ? reply : new AssistantReply(text + reply.text(), reply.calls());
    }

    /** The chain before a message, empty before the first. */
    private String before(int index) {
        return index == 0 ? "" : session.transcript().chain(index - 1);
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

    private io.recallgate.recall.api.@Nullable Injection injection(AssistantReply reply) {
        int newest = session.transcript().currentTurn();
        return sent.fresh().block().isEmpty() || !splice.injected().contains(newest)
                ? null
                : sent.fresh().injection(session.places().of(newest, answerAt(), begun(reply)));
    }

    /** Each after the one that may call the tools whose results it brings. */
    private List<PlacedMessage> messages(BitSet said) {
        List<PlacedMessage> placed = new ArrayList<>();
        said.stream().forEach(index -> {
            if (index > 0 && !said.get(index - 1)) {
                placed.add(placed(index - 1, true));
            }
            placed.add(placed(index, false));
        });
        return placed;
    }

    private PlacedMessage placed(int index, boolean onlyCalls) {
        Transcript transcript = session.transcript();
        Entry entry = transcript.entry(index);
        try {
            return new PlacedMessage(
                    before(index),
                    transcript.chain(index),
                    JSON.readTree(
                            transcript.body().bytes(),
                            entry.whole().start(),
                            entry.whole().length()),
                    onlyCalls);
        } catch (IOException e) {
            throw new UncheckedIOException("bytes that were JSON before are none now", e);
        }
    }
}
