/**
 * Probes: small pieces of real work, done again and again, that show whether the gateway can do its own. How often is
 * decided by what they cost, and what they showed last is read as health. Reading starts nothing.
 *
 * <p>{@link io.recallgate.gateway.probe.ProbeGate} decides, one for each probe: a plain state machine that is told what
 * happens and what time it is, and answers what to do. {@link io.recallgate.gateway.probe.ProbeDriver} does it on one
 * context. {@link io.recallgate.gateway.probe.HealthProjection} says what the last snapshot means at an instant, on any
 * thread: it does not need the context to turn, so that a schedule that died is seen.
 *
 * <pre>
 *             start                launch                     key changes
 *  STOPPED ----------> WAITING ------------> FLYING -------------------------> SUPERSEDED
 *     ^                 |  ^ ^    settled     | | ^                              | |
 *     |      stop       |  | +----------------+ | | start, same key      settled | | stop
 *     +-----------------+  +--------------------|-|------------------------------+ |
 *     ^                                         | +---------------- LEFT <---------+
 *     |                                    stop +-------------------^ |
 *     +------------------------ settled -------------------------------+
 *
 *  GAVE_UP: after FLYING, when so many attempts in a row have failed; a run by hand or another key ends it, or a stop.
 * </pre>
 *
 * <p>The next attempt comes at the latest of three instants: the cadence after the one before began, the end of its
 * pacing floor, and the end of the back-off after a failure. An attempt that cost {@code c} is followed by idleness until
 * {@code c / d} after its beginning, {@code d} being the duty: so no probe is charged more than the share {@code d} of its
 * own time, however slow its provider. Pacing is per probe: {@code N} probes on one provider are charged up to {@code
 * N·d}.
 */
@NullMarked
package io.recallgate.gateway.probe;

import org.jspecify.annotations.NullMarked;
