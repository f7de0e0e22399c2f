package io.recallgate.gateway.metrics;

import io.recallgate.failure.FailureCode;
import io.recallgate.metrics.Buckets;
import io.recallgate.metrics.Label;
import io.recallgate.metrics.Metric;
import io.recallgate.metrics.MetricSpec;
import io.recallgate.recall.api.DegradeReason;
import java.util.Arrays;
import java.util.stream.Stream;

/** All metrics of this module. */
public enum GatewayMetric implements Metric {
    /** HTTP. */
    HTTP_REQUESTS_IN_FLIGHT(MetricSpec.gauge("recallgate.http.requests.in.flight", "Requests being served")),
    /** HTTP. */
    HTTP_BUFFERED_BYTES(MetricSpec.gauge("recallgate.http.buffered.bytes", "Request bodies held in memory")),
    /** HTTP. Classes of statuses, since each combination costs a histogram. */
    HTTP_REQUEST_DURATION(MetricSpec.histogram(
            "recallgate.http.request.duration",
            "From the request's head to the end of the answer",
            Buckets.CALLER,
            Labels.method(),
            Labels.route(),
            Label.of("status", "1xx", "2xx", "3xx", "4xx", "5xx").orOther())),
    /** HTTP. */
    HTTP_RESPONSES(MetricSpec.counter(
            "recallgate.http.responses",
            "Answers, by status; 499 for a client that left before it had one",
            Labels.method(),
            Labels.route(),
            Labels.status())),
    /** HTTP. */
    HTTP_FAILURES(MetricSpec.counter(
            "recallgate.http.failures",
            "Answers that were failures, by code",
            Labels.route(),
            Label.of("code", Labels.failures()))),
    /** HTTP. */
    EVENT_LOOP_LAG(MetricSpec.histogram(
            "recallgate.event.loop.lag", "How late event loops run their timers", Buckets.STANDARD)),

    /** Conversations. */
    TURNS(MetricSpec.counter(
            "recallgate.turns", "Conversation turns, by how they ended", Labels.protocol(), Labels.outcome())),
    /** Conversations. */
    TURN_PHASE_DURATION(MetricSpec.histogram(
            "recallgate.turn.phase.duration",
            "What the phases of turns took",
            Buckets.STANDARD,
            Labels.protocol(),
            Label.of(
                    "phase",
                    "admit",
                    "decode",
                    "identify",
                    "select",
                    "fit",
                    "assemble",
                    "forward",
                    "relay",
                    "commit"))),
    /** Conversations. */
    TURN_PREPARATIONS(MetricSpec.counter(
            "recallgate.turn.preparations",
            "Prepared turns, by what is sent of the conversation (in full, or the fall-back that was taken when time ran"
                    + " out) and whether memory was left out",
            Labels.protocol(),
            Label.of("window", "none", "full", "accepted", "passthrough", "suffix"),
            Label.of("degraded", "true", "false"))),
    /** Conversations. */
    TURN_COMMITS(MetricSpec.counter(
            "recallgate.turn.commits",
            "Turns that were to be remembered, by what became of it",
            Labels.protocol(),
            Label.of("outcome", Stream.concat(Stream.of("remembered", "compressed"), Labels.failures())))),
    /** Conversations. */
    TURN_DEGRADED(MetricSpec.counter(
            "recallgate.turn.degraded",
            "Prepared turns with less memory than there could be, by why; one may have several reasons",
            Labels.protocol(),
            Label.of(
                    "reason",
                    Stream.of(
                                    Arrays.stream(DegradeReason.values()).map(DegradeReason::wireName),
                                    Stream.of("context-full", "window-estimated"),
                                    Labels.failures())
                            .flatMap(reasons -> reasons)
                            .distinct()))),
    /** Conversations. */
    TURN_OVERRUNS(MetricSpec.counter(
            "recallgate.turn.overruns",
            "Turns with a phase that took longer than it may, by what became of a recording of it: recorded, not written,"
                    + " too soon after the last one, or off",
            Label.of("capture", "recorded", "failed", "paused", "off"))),
    /** Conversations. */
    TURN_REFUSED(MetricSpec.counter(
            "recallgate.turn.refused",
            "Conversation turns that got no place, by why",
            Label.of("reason", "full", "owner-full", "session-full", "waited"))),
    /** Conversations. */
    TURN_WAIT_DURATION(MetricSpec.histogram(
            "recallgate.turn.wait.duration", "How long admitted turns waited for their place", Buckets.STANDARD)),
    /** Conversations. */
    TURN_ACTIVE(MetricSpec.gauge("recallgate.turn.active", "Conversation turns that have a place")),
    /** Conversations. */
    TURN_WAITING(MetricSpec.gauge("recallgate.turn.waiting", "Conversation turns that wait for one")),
    /** Conversations. */
    UPSTREAM_REQUESTS(MetricSpec.counter(
            "recallgate.upstream.requests",
            "Requests to providers, by how they ended",
            Labels.protocol(),
            Labels.outcome())),
    /** Conversations. */
    UPSTREAM_ANSWERS(MetricSpec.counter(
            "recallgate.upstream.answers", "Answers of providers, by status", Labels.protocol(), Labels.status())),
    /** Conversations. */
    UPSTREAM_FIRST_BYTE(MetricSpec.histogram(
            "recallgate.upstream.first.byte",
            "From sending to the head of the provider's answer",
            Buckets.UPSTREAM,
            Labels.protocol())),

    /** Conversations. */
    UPSTREAM_DURATION(MetricSpec.histogram(
            "recallgate.upstream.duration",
            "From sending to the end of the provider's answer, or to giving it up",
            Buckets.UPSTREAM,
            Labels.protocol(),
            Labels.outcome())),

    /** Imports and exports. */
    TRANSFERS_RUNNING(
            MetricSpec.gauge("recallgate.transfers.running", "Imports and exports on their way", Labels.transfer())),
    /** Imports and exports. */
    IMPORT_MEMORIES(MetricSpec.counter(
            "recallgate.import.memories",
            "Lines of imports, by what became of them",
            Label.of("change", "stored", "updated", "unchanged", "rejected"))),
    /** Imports and exports. */
    EXPORT_MEMORIES(MetricSpec.counter("recallgate.export.memories", "Memories that were exported")),
    /** Probes. */
    PROBE_ATTEMPTS(MetricSpec.counter(
            "recallgate.probe.attempts",
            "Attempts of probes, by what they showed",
            Labels.producer(),
            Label.of("outcome", "healthy", "failed", "cancelled"))),
    /** Probes. */
    PROBE_ATTEMPT_DURATION(MetricSpec.histogram(
            "recallgate.probe.attempt.duration",
            "From the beginning of a probe's attempt to its end",
            Buckets.UPSTREAM,
            Labels.producer())),
    /** Probes. */
    PROBE_SKIPPED_TICKS(MetricSpec.counter(
            "recallgate.probe.skipped.ticks",
            "Ticks of a probe's cadence that began no attempt, by why",
            Labels.producer(),
            Label.of("cause", "flight", "pacing", "backoff", "gave-up", "late"))),
    /** Probes. */
    PROBE_CHARGED_SECONDS(MetricSpec.counter(
            "recallgate.probe.charged.seconds",
            "What attempts cost: their time, and a budget for each whose work went on",
            Labels.producer())),
    /** Probes. */
    PROBE_ABANDONED(MetricSpec.counter(
            "recallgate.probe.abandoned",
            "Attempts that were given up while the provider worked on",
            Labels.producer())),
    /** Probes. */
    PROBE_FAILURES_IN_A_ROW(
            MetricSpec.gauge("recallgate.probe.streak", "Failed attempts of a probe in a row", Labels.producer())),
    /** Probes. */
    PROBE_STATE(MetricSpec.gauge(
            "recallgate.probe.state",
            "1 for the state that a probe's health is in, 0 for the others",
            Labels.producer(),
            Label.of(
                    "state",
                    "disabled",
                    "pending",
                    "healthy",
                    "slow-but-running",
                    "stuck",
                    "stale",
                    "failed",
                    "recovering"))),

    /** Process. */
    CONFIG_STALE(MetricSpec.gauge(
            "recallgate.config.stale",
            "Configuration files whose present content is not in force, because it is wrong or gone"));

    @SuppressWarnings("ImmutableEnumChecker") // A record of words and of lists that cannot be changed.
    private final MetricSpec spec;

    GatewayMetric(MetricSpec spec) {
        this.spec = spec;
    }

    @Override
    public MetricSpec spec() {
        return spec;
    }

    private static final class Labels {

        private static Label method() {
            return Label.of("method", "GET", "POST", "PUT", "PATCH", "DELETE");
        }

        private static Label route() {
            return Label.described(
                    "route", "the template of a route in the API's description, or `unknown`, or `malformed`");
        }

        private static Label transfer() {
            return Label.of("kind", "import", "export");
        }

        private static Label producer() {
            return Label.of("producer", "embedding-write", "knowledge");
        }

        private static Label protocol() {
            return Label.of("protocol", "openai", "anthropic");
        }

        private static Label outcome() {
            return Label.of(
                    "outcome",
                    "completed",
                    "client-cancel",
                    "deadline",
                    "upstream-timeout",
                    "upstream-failed",
                    "refused",
                    "failed");
        }

        /** Those that we give ourselves, and what providers are known to answer. */
        private static Label status() {
            Stream<Integer> known = Stream.of(200, 201, 202, 204, 304, 400, 401, 402, 403, 408, 409, 500, 529);
            Stream<Integer> ours = Arrays.stream(FailureCode.values()).map(FailureCode::httpStatus);
            return Label.of(
                            "status",
                            Stream.concat(known, ours).distinct().sorted().map(Object::toString))
                    .orOther();
        }

        private static Stream<String> failures() {
            return Arrays.stream(FailureCode.values()).map(FailureCode::code);
        }
    }
}
