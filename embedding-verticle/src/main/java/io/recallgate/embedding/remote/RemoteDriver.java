package io.recallgate.embedding.remote;

import io.recallgate.embedding.api.EmbedRequest;
import io.recallgate.embedding.api.ModelIdentity;
import io.recallgate.embedding.api.Priority;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.CancelCause;
import io.recallgate.time.CancelSignal;
import io.recallgate.time.Clock;
import io.recallgate.time.Timers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to a provider: asks the breaker, the lanes and the quota what may be done, and does it. Confined to one
 * context; only {@link #latest} may be read on any thread.
 */
final class RemoteDriver {

    private static final Logger LOG = LoggerFactory.getLogger(RemoteDriver.class);

    private static final int SERVER_ERROR = 500;

    private final RemoteOptions options;
    private final Time time;
    /** On which everything of a provider happens. */
    private final Executor place;

    private final RemoteMetrics metrics;
    private final ProviderCalls provider;
    private final CircuitBreaker breaker;
    private final Lanes<Work> lanes;
    private final Works works;
    private final Set<Flight> flights = new LinkedHashSet<>();
    private long attempts;
    private int abandoned;
    private @Nullable String lastTrouble;
    private @Nullable ModelIdentity identity;
    private boolean closed;
    private volatile RemoteSnapshot latest;

    /**
     * Time as the provider sees it.
     *
     * @param clock measures deadlines and spans
     * @param timers that belong to it
     * @param queryLimitMillis the bound on a query's embedding that is in force, read on each use
     */
    record Time(Clock clock, Timers timers, LongSupplier queryLimitMillis) {}

    RemoteDriver(Vertx vertx, RemoteOptions options, Time time, Executor place, RemoteMetrics metrics) {
        this.options = options;
        this.time = time;
        this.place = place;
        this.metrics = metrics;
        RemoteOptions.Breaker limits = options.breaker();
        provider = new ProviderCalls(vertx, options);
        breaker = new CircuitBreaker(
                new CircuitBreaker.Config(
                        limits.expiries(), limits.backoff(), limits.maxBackoff(), limits.probeBound()),
                now());
        lanes = new Lanes<>(options.bounds().connections());
        works = new Works(new Quota(options.bounds()), metrics);
        options.model().dimensions().ifPresent(this::learn);
        latest = snapshot();
        metrics.show(latest);
    }

    /** A caller comes, and is answered in the end, whatever happens. */
    void arrive(Work work) {
        EmbedRequest request = work.request;
        CancelCause cancelled = request.cancel().cause();
        if (cancelled != null || request.deadline().isPassed()) {
            works.fail(work, Failures.gaveUp(cancelled == null ? CancelCause.DEADLINE : cancelled));
        } else if (closed) {
            works.fail(work, Failures.shuttingDown());
        } else if (request.priority() == Priority.QUERY && breaker.refuses(now())) {
            works.fail(work, Failures.circuitOpen(breaker.retryNanos(now())));
        } else {
            works.enter(work).ifPresentOrElse(refusal -> works.fail(work, refusal), () -> admit(work));
        }
        show();
    }

    private void admit(Work work) {
        // On whatever thread a clock or a caller tells.
        Timers.Timer timer = time.timers()
                .schedule(
                        work.request.deadline().remainingNanos(),
                        () -> place.execute(() -> leave(work, CancelCause.DEADLINE)));
        CancelSignal.Registration registration =
                work.request.cancel().onCancel(cause -> place.execute(() -> leave(work, cause)));
        work.endsBy(timer, registration);
        provider.plan(work.request, work.bytes).onComplete(planned -> {
            if (planned.failed()) {
                LOG.error("the inputs of request {} could not be read", work.request.id(), planned.cause());
                works.fail(work, FailureException.of(planned.cause()));
            } else if (!work.isSettled()) {
                work.plan(planned.result());
                lanes.enqueue(work.request.priority(), work);
            }
            pump();
        });
    }

    /** A caller does not wait any more. What it alone wanted is given up, as far as the provider can be told. */
    private void leave(Work work, CancelCause cause) {
        if (work.isSettled()) {
            return;
        }
        // Whoever waited until the deadline was ended by a clock, whichever way that was said.
        boolean clock = cause == CancelCause.DEADLINE || work.request.deadline().isPassed();
        lanes.withdraw(work.request.priority(), work);
        flights.stream().filter(flight -> flight.work == work).toList().forEach(flight -> abandon(flight, clock));
        // What is still there after that is what the provider goes on with.
        boolean goesOn = flights.stream().anyMatch(flight -> flight.work == work);
        FailureException why = Failures.gaveUp(clock ? CancelCause.DEADLINE : cause);
        works.fail(work, goesOn ? why.abandoned() : why);
        pump();
    }

    private void abandon(Flight flight, boolean clock) {
        // A probe goes on: its end is to tell about the provider, and its caller's patience does not.
        if (flight.isQuery() && !flight.probe) {
            flight.judged = true;
            if (clock) {
                judge(new BreakerEvent.Expired(flight.attempt, flight.hadNanos(now()), limitNanos()));
            }
        }
        if (options.server().cancelsOnDisconnect() && !flight.probe) {
            land(flight, clock ? "expired" : "left");
            flight.reset();
        } else {
            // The server works on it whatever we do, so its connection stays taken until it is done.
            flight.abandoned = true;
            abandoned++;
        }
    }

    /** Sends what may be sent. */
    private void pump() {
        for (Work work = lanes.next(); work != null; work = lanes.next()) {
            start(work);
        }
        show();
    }

    private void start(Work work) {
        long attempt = ++attempts;
        Priority priority = work.request.priority();
        long boundNanos = options.bounds().batch().toNanos();
        boolean probe = false;
        if (priority == Priority.QUERY) {
            BreakerEffect verdict = judge(new BreakerEvent.Asked(attempt));
            if (verdict instanceof BreakerEffect.Refuse refuse) {
                lanes.release(priority);
                works.fail(work, Failures.circuitOpen(refuse.retryNanos()));
                return;
            }
            probe = verdict instanceof BreakerEffect.Probe;
            boundNanos = verdict instanceof BreakerEffect.Probe granted
                    ? granted.boundNanos()
                    // Its caller's deadline comes first; this bounds what a caller has left behind.
                    : Math.max(boundNanos, work.request.deadline().remainingNanos());
        }
        List<ProviderRow> rows = work.next(now());
        Flight flight = new Flight(work, rows, attempt, probe, now());
        flights.add(flight);
        flight.bound = time.timers().schedule(boundNanos, () -> place.execute(() -> expire(flight)));
        ProviderClient.Exchange exchange = provider.send(rows, dimensions(), work.call);
        flight.departs(exchange);
        exchange.answer().onComplete(answer -> {
            if (flight.over) {
                return;
            }
            if (answer.succeeded()) {
                answered(flight, answer.result());
            } else {
                FailureException failure = FailureException.of(answer.cause());
                long nanos = flight.hadNanos(now());
                land(flight, failure.code().code());
                vain(flight, failure, true, nanos);
            }
            pump();
        });
    }

    private void answered(Flight flight, ProviderClient.Answer answer) {
        long nanos = flight.hadNanos(now());
        boolean late = flight.abandoned;
        // The provider is done with it, so its connection is free; to read it may take a moment more.
        release(flight);
        provider.read(answer, flight.rows.size(), dimensions()).onComplete(read -> {
            if (read.succeeded()) {
                metrics.attempted(flight.priority(), late ? "late" : "ok", nanos);
                arrived(flight, read.result(), nanos);
            } else {
                FailureException failure = FailureException.of(read.cause());
                metrics.attempted(flight.priority(), failure.code().code(), nanos);
                boolean itsFault = answer.status() >= SERVER_ERROR && failure.code() != FailureCode.OVERLOADED;
                vain(flight, failure, itsFault, nanos);
            }
            pump();
        });
    }

    private void arrived(Flight flight, AnswerReader.Vectors vectors, long nanos) {
        lastTrouble = null;
        ModelIdentity model = identity == null ? learn(vectors.dimensions()) : identity;
        judgeOnce(flight, new BreakerEvent.Answered(flight.attempt));
        Work work = flight.work;
        if (work.isSettled()) {
            return;
        }
        if (vectors.dimensions() != model.dimensions()) {
            // Two first answers crossed each other.
            works.fail(work, Failures.changedDimensions());
        } else if (work.add(flight.rows, vectors, nanos)) {
            works.succeed(work, model);
        } else {
            lanes.enqueue(work.request.priority(), work);
        }
    }

    /** An attempt without vectors; an answer that only refuses is none of a provider that stalls. */
    private void vain(Flight flight, FailureException failure, boolean itsFault, long nanos) {
        lastTrouble = failure.code().code();
        judgeOnce(
                flight,
                itsFault
                        ? new BreakerEvent.Failed(flight.attempt, nanos, limitNanos())
                        : new BreakerEvent.Answered(flight.attempt));
        works.fail(flight.work, failure);
    }

    /** A flight's own bound has come: a caller's deadline would have come before, but for documents and probes. */
    private void expire(Flight flight) {
        if (flight.over) {
            return;
        }
        long nanos = flight.hadNanos(now());
        land(flight, "expired");
        flight.reset();
        FailureException failure = Failures.noAnswer(flight.priority(), nanos);
        lastTrouble = failure.code().code();
        judgeOnce(flight, new BreakerEvent.Expired(flight.attempt, nanos, limitNanos()));
        works.fail(flight.work, options.server().cancelsOnDisconnect() ? failure : failure.abandoned());
        pump();
    }

    private void judgeOnce(Flight flight, BreakerEvent event) {
        if (flight.isQuery() && !flight.judged) {
            flight.judged = true;
            judge(event);
        }
    }

    /** Tells the breaker, and does what it says; the last effect is the answer to a question. */
    private @Nullable BreakerEffect judge(BreakerEvent event) {
        BreakerEffect last = null;
        for (BreakerEffect effect : breaker.on(event, now())) {
            last = effect;
            if (effect instanceof BreakerEffect.Moved moved) {
                moved(moved);
            }
        }
        return last;
    }

    private void moved(BreakerEffect.Moved moved) {
        metrics.moved(moved.to());
        switch (moved.to()) {
            case OPEN -> {
                LOG.warn(
                        "the embedding provider does not answer queries in time: none is sent for {} ms",
                        TimeUnit.NANOSECONDS.toMillis(moved.retryNanos()));
                lanes.clear(Priority.QUERY).forEach(work -> works.fail(work, Failures.circuitOpen(moved.retryNanos())));
            }
            case HALF_OPEN -> LOG.info("one query is sent to the embedding provider to see whether it answers again");
            case CLOSED -> LOG.info("the embedding provider answers again");
        }
    }

    private void land(Flight flight, String outcome) {
        metrics.attempted(flight.priority(), outcome, flight.hadNanos(now()));
        release(flight);
    }

    private void release(Flight flight) {
        flight.over = true;
        flights.remove(flight);
        if (flight.bound != null) {
            flight.bound.cancel();
        }
        if (flight.abandoned) {
            abandoned--;
        }
        lanes.release(flight.priority());
    }

    private ModelIdentity learn(int dimensions) {
        ModelIdentity learnt = options.model().identity(options.server().endpoint(), dimensions);
        identity = learnt;
        return learnt;
    }

    private OptionalInt dimensions() {
        ModelIdentity known = identity;
        return known == null ? OptionalInt.empty() : OptionalInt.of(known.dimensions());
    }

    /** Null until dimensions are configured or the first answer told them. */
    @Nullable
    ModelIdentity identity() {
        return identity;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether it is at the provider. */
    boolean isRunning(Work work) {
        return flights.stream().anyMatch(flight -> flight.work == work);
    }

    /** The one that waits with this signal, null if none does. */
    @Nullable
    Work workOf(CancelSignal signal) {
        return works.of(signal);
    }

    /** Lets nobody in, answers all with {@code shutting-down} and closes every connection. Idempotent. */
    Future<Void> shutdown() {
        closed = true;
        for (Work work : works.all()) {
            lanes.withdraw(work.request.priority(), work);
            works.fail(work, Failures.shuttingDown());
        }
        for (Flight flight : List.copyOf(flights)) {
            land(flight, "left");
            flight.reset();
        }
        show();
        return provider.close();
    }

    /** As the last event left it; on any thread. */
    RemoteSnapshot latest() {
        return latest;
    }

    private void show() {
        latest = snapshot();
        metrics.show(latest);
    }

    private RemoteSnapshot snapshot() {
        long now = now();
        return new RemoteSnapshot(
                now,
                identity,
                breaker.state(),
                now - breaker.ageNanos(now),
                breaker.expiries(),
                breaker.retryNanos(now),
                line(Priority.QUERY, now),
                line(Priority.DOCUMENT, now),
                abandoned,
                works.operations(),
                works.bytes(),
                metrics.attempts(),
                lastTrouble);
    }

    private RemoteSnapshot.Line line(Priority priority, long now) {
        Work oldest = lanes.oldest(priority);
        return new RemoteSnapshot.Line(
                lanes.waiting(priority), lanes.running(priority), oldest == null ? 0 : oldest.ageNanos(now));
    }

    private long limitNanos() {
        return TimeUnit.MILLISECONDS.toNanos(time.queryLimitMillis().getAsLong());
    }

    private long now() {
        return time.clock().nanoTime();
    }
}
