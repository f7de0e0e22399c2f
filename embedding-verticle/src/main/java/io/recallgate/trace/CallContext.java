package io.recallgate.trace;

import io.recallgate.digest.Sha256;
import io.vertx.core.MultiMap;
import io.vertx.core.internal.ContextInternal;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The request that something is done for. Goes along with its Vert.x context, which every request and every message has for
 * itself, and with jobs on threads of ours ({@link #within}); what is done for several requests, or for none, has none.
 * Immutable.
 */
public final class CallContext {

    /** Name of the header with the request's id, over HTTP and on the event bus. */
    public static final String REQUEST_ID = "x-request-id";

    private static final ThreadLocal<CallContext> WITHIN = new ThreadLocal<>();

    /** Stands for what is done for nobody in particular. */
    private static final CallContext NOBODY = of("", TraceContext.fresh());

    /** Longer ones are no ids of ours or of anybody's who wants them in a log. */
    private static final int MAX_ID_CHARS = 128;

    /** As much as tells owners apart. */
    private static final int HASH_CHARS = 12;

    private final String requestId;
    private final TraceContext trace;
    private final @Nullable String owner;

    private CallContext(String requestId, TraceContext trace, @Nullable String owner) {
        this.requestId = requestId;
        this.trace = trace;
        this.owner = owner;
    }

    /** One whose owner is not known yet. */
    public static CallContext of(String requestId, TraceContext trace) {
        return new CallContext(requestId, trace, null);
    }

    /** What this thread works for now, null for nobody in particular. */
    public static @Nullable CallContext current() {
        CallContext within = WITHIN.get();
        if (within != null) {
            return within == NOBODY ? null : within;
        }
        ContextInternal context = ContextInternal.current();
        return context == null || !context.isDuplicate() ? null : context.getLocal(CallContextPlace.PLACE);
    }

    /** Enters what the headers of a message say, if they name a request or a trace; otherwise does nothing. */
    public static void enter(MultiMap headers) {
        String id = headers.get(REQUEST_ID);
        Optional<TraceContext> trace =
                TraceContext.parse(headers.getAll(TraceContext.TRACEPARENT), headers.getAll(TraceContext.TRACESTATE));
        if (id != null || trace.isPresent()) {
            String sane = id == null || id.length() > MAX_ID_CHARS ? "" : id;
            of(sane, trace.map(TraceContext::child).orElseGet(TraceContext::fresh))
                    .enter();
        }
    }

    /**
     * Runs a job that this thread does for somebody else than whom it works for now. Vert.x contexts that the job goes over
     * to have theirs.
     */
    public static void forNobody(Runnable job) {
        CallContext before = WITHIN.get();
        WITHIN.set(NOBODY);
        try {
            job.run();
        } finally {
            if (before == null) {
                WITHIN.remove();
            } else {
                WITHIN.set(before);
            }
        }
    }

    /** Runs a job of a thread of ours for whoever asked for it. */
    public static <T> T within(@Nullable CallContext call, Callable<T> job) throws Exception {
        if (call == null) {
            return job.call();
        }
        WITHIN.set(call);
        try {
            return job.call();
        } finally {
            WITHIN.remove();
        }
    }

    /** From now on, what happens on this Vert.x context is done for this request. Elsewhere does nothing. */
    public void enter() {
        ContextInternal context = ContextInternal.current();
        if (context != null && context.isDuplicate()) {
            context.putLocal(CallContextPlace.PLACE, this);
        }
    }

    /** The same with its owner, of whom only a hash is ever shown. */
    public CallContext ownedBy(String name) {
        return new CallContext(requestId, trace, name);
    }

    /** The request's id, empty for one that came with none. */
    public String requestId() {
        return requestId;
    }

    /** Where in which trace it is. */
    public TraceContext trace() {
        return trace;
    }

    /** The beginning of the SHA-256 of the owner's name, in hexadecimal digits; empty while it is not known. */
    public Optional<String> ownerHash() {
        return Optional.ofNullable(owner).map(name -> Sha256.hex(name).substring(0, HASH_CHARS));
    }

    /** Says in the headers of a request to somebody else which trace it is a part of, with a step of its own. */
    public void tell(MultiMap headers) {
        TraceContext step = trace.child();
        headers.set(TraceContext.TRACEPARENT, step.traceparent());
        headers.remove(TraceContext.TRACESTATE);
        if (!step.state().isEmpty()) {
            headers.set(TraceContext.TRACESTATE, step.state());
        }
    }

    /** The same for a message to one of ours, which is told the request's id, too. */
    public void tellOurs(MultiMap headers) {
        tell(headers);
        if (!requestId.isEmpty()) {
            headers.set(REQUEST_ID, requestId);
        }
    }
}
