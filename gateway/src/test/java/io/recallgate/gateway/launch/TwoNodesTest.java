package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.postgres.Eventually;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * CONTRACTS E6: two gateways with the real model share one PostgreSQL and all writers. Again and again one of them is
 * killed, or stands still for longer than its leases, while it holds jobs: the other takes them over when the leases
 * have run out and not before, and whatever the sleeper still brings changes nothing. Afterwards everything that was
 * acknowledged is there once and was embedded once. {@code -Drecallgate.chaos.seed=S} draws another course.
 */
@Timeout(1_200)
class TwoNodesTest {

    /** Short, so that a take-over takes seconds; a busy machine still renews in time. */
    private static final long LEASE_MILLIS = 2_000;

    /** Jobs that a node holds when it is hit: some are left whatever is on its way just then. */
    private static final int HELD = 3;

    /** Keeps both nodes at work without leaving more behind than they embed in seconds. */
    private static final long PACE_MILLIS = 150;

    private static final long BOUND_SECONDS = 120;

    @TempDir
    Path directory;

    private final ChaosLog log = ChaosLog.ofSleepers();
    private final List<Node> nodes = new ArrayList<>();
    private final Set<String> known = new HashSet<>();

    /** How a node is hit. */
    private enum Blow {
        KILL,
        STANDSTILL
    }

    /** A gateway, and the name under which it holds jobs. */
    private record Node(GatewayProcess process, String holder) {}

    @Test
    void whatAKilledOrSleepingNodeHeldIsDoneOnceByTheOther() throws Exception {
        run(2);
    }

    @Test
    @Tag("long")
    void whatAKilledOrSleepingNodeHeldIsDoneOnceByTheOtherInTwentyRounds() throws Exception {
        run(20);
    }

    private void run(int rounds) throws Exception {
        long seed = Long.getLong("recallgate.chaos.seed", 20_261_130);
        Random random = new Random(seed);
        try (ExternalPostgres postgres = ExternalPostgres.start(directory.resolve("server"))) {
            GatewayProcess first = start(postgres, "first").awaitReady();
            try (Connection connection = postgres.connect()) {
                JobHistory history = JobHistory.install(connection);
                join(first, history);
                join(start(postgres, "second").awaitReady(), history);
                for (int round = 0; round < rounds; round++) {
                    Blow blow = round < 2 ? Blow.values()[round] : Blow.values()[random.nextInt(2)];
                    round(postgres, history, seed, round, blow, random.nextInt(2));
                }
                Eventually.holds("everything is embedded, seed " + seed, BOUND_SECONDS, () -> history.open() == 0);
                assertThat(new ChaosChecker(postgres.endpoint()).findings(log))
                        .as("seed %d, answers by status %s", seed, log.statuses())
                        .isEmpty();
                assertThat(history.findings()).as("seed %d", seed).isEmpty();
                assertThat(known)
                        .allSatisfy(holder ->
                                assertThat(history.finished(holder)).as(holder).isPositive());
            } finally {
                nodes.forEach(node -> node.process().close());
                first.close();
            }
        }
    }

    private void round(ExternalPostgres postgres, JobHistory history, long seed, int round, Blow blow, int which)
            throws Exception {
        Node victim = nodes.get(which);
        Node other = nodes.get(1 - which);
        String as = "round " + round + ", seed " + seed + ", " + blow + ": ";
        try (ChaosClient client = new ChaosClient(
                nodes.stream().map(node -> node.process().port()).toList(), PACE_MILLIS, log)) {
            client.start(seed, round);
            freezeWithJobs(as, victim, history);
            if (blow == Blow.KILL) {
                victim.process().kill();
            }
            long before = log.acknowledgements();
            long finished = history.finished(other.holder());
            Eventually.holds(as + "the other goes on", BOUND_SECONDS, () -> log.acknowledgements() > before + 20);
            Eventually.holds(as + "leases run out", BOUND_SECONDS, () -> history.expired(victim.holder()) > 0);
            Eventually.holds(as + "the other embeds", BOUND_SECONDS, () -> history.finished(other.holder()) > finished);
            if (blow == Blow.STANDSTILL) {
                long own = history.finished(victim.holder());
                victim.process().thaw();
                Eventually.holds(
                        as + "the sleeper works again", BOUND_SECONDS, () -> history.finished(victim.holder()) > own);
            }
            client.stop();
        }
        if (blow == Blow.KILL) {
            Eventually.holds(
                    as + "nothing is held by the dead", BOUND_SECONDS, () -> history.held(victim.holder()) == 0);
            nodes.remove(which);
            join(start(postgres, "round" + round).awaitReady(), history);
        }
    }

    /** Stops the process while jobs are under its lease. */
    private static void freezeWithJobs(String as, Node victim, JobHistory history) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        for (int tries = 0; tries < 200; tries++) {
            Eventually.holds(as + "it has work", BOUND_SECONDS, () -> history.held(victim.holder()) >= HELD);
            victim.process().freeze();
            // What it had sent is still carried out.
            assertThat(never.await(50, TimeUnit.MILLISECONDS)).isFalse();
            if (history.held(victim.holder()) >= HELD) {
                return;
            }
            victim.process().thaw();
        }
        throw new AssertionError(as + "it never held " + HELD + " jobs when it was stopped");
    }

    /**
     * Takes a gateway in: learns its name from the first job that it takes, and waits until it has finished one, so that
     * whoever is hit later has had a part in the work.
     */
    private void join(GatewayProcess gateway, JobHistory history) throws Exception {
        try (ChaosClient client = new ChaosClient(List.of(gateway.port()), PACE_MILLIS, log)) {
            client.start(known.size(), 1_000 + known.size());
            Eventually.holds("a new node takes jobs", BOUND_SECONDS, () -> !known.containsAll(history.holders()));
            client.stop();
        }
        Set<String> fresh = history.holders();
        fresh.removeAll(known);
        assertThat(fresh).hasSize(1);
        String holder = fresh.iterator().next();
        Eventually.holds("a new node finishes what it took", BOUND_SECONDS, () -> history.finished(holder) > 0);
        known.addAll(fresh);
        nodes.add(new Node(gateway, holder));
    }

    private GatewayProcess start(ExternalPostgres postgres, String name) throws Exception {
        return GatewayProcess.start(
                directory,
                Map.of(
                        "RECALLGATE_DATA_DIR", directory.resolve(name).toString(),
                        "RECALLGATE_DATABASE_URL", postgres.url(),
                        "RECALLGATE_EMBEDDING_PROVIDER", "local",
                        "RECALLGATE_EMBEDDING_WORKERS", "1",
                        "RECALLGATE_JOB_LEASE_MS", Long.toString(LEASE_MILLIS),
                        "RECALLGATE_JOB_BACKOFF_BASE_MS", "100",
                        "RECALLGATE_JOB_MAX_ATTEMPTS", "20",
                        "RECALLGATE_JOB_POLL_MS", "100"));
    }
}
