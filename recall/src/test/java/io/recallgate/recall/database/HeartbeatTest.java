package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.failure.FailureCode;
import io.recallgate.recall.Await;
import io.recallgate.time.Deadline;
import io.recallgate.time.FakeClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who is refused, when events come between a decision and its carrying out. */
class HeartbeatTest {

    private final Vertx vertx = Vertx.vertx();
    private final FakeClock clock = new FakeClock();

    @Test
    void whoeverIsTakenOnWhileOthersAreBeingRefusedIsNotRefused() {
        NetServer mute = vertx.createNetServer().connectHandler(socket -> socket.handler(ignored -> {}));
        int port = Await.result(mute.listen(0, "127.0.0.1")).actualPort();
        Heartbeat heartbeat = new Heartbeat(clock, () -> pool(port), () -> true, () -> Future.succeededFuture(true));
        Connections connections =
                new Connections(pool(port), new PoolQueue(0, 1_000), new StatementCancels(pool(port), clock));
        UnitOfWork.Ways ways = new UnitOfWork.Ways(() -> connections, heartbeat, clock, () -> PoolTimes.NONE);
        Future<Object> refused = unit(ways);
        List<Future<Object>> admitted = new ArrayList<>();
        List<Future<Void>> asked = new ArrayList<>();
        // Runs between the decision that the database is silent and the last refusal.
        refused.onFailure(error -> {
            heartbeat.heard(null);
            for (int i = 0; i < 200; i++) {
                admitted.add(unit(ways));
            }
            asked.add(heartbeat.ask());
        });

        clock.advanceMillis(Pulse.QUIET_MILLIS);
        clock.advanceMillis(Heartbeat.OPEN_MILLIS);

        Await.failure(refused, FailureCode.DATABASE_UNAVAILABLE);
        assertThat(admitted).hasSize(200).noneMatch(Future::isComplete);
        assertThat(asked).hasSize(1).noneMatch(Future::isComplete);
        Await.result(heartbeat.close());
        Await.result(vertx.close());
    }

    private Future<Object> unit(UnitOfWork.Ways ways) {
        return new UnitOfWork<>(
                        vertx,
                        ways,
                        Deadline.afterMillis(clock, 900_000),
                        connection -> Future.succeededFuture(),
                        new UnitOfWork.Style(false, Plans.EACH_TIME))
                .run();
    }

    private Pool pool(int port) {
        return PgBuilder.pool()
                .with(new PoolOptions().setMaxSize(1))
                .connectingTo(Database.connectOptions(
                        DatabaseOptions.parse("postgresql://u:p@127.0.0.1:" + port + "/d?sslmode=disable")))
                .using(vertx)
                .build();
    }
}
