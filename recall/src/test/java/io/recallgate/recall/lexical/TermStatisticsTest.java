package io.recallgate.recall.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.recallgate.recall.Await;
import io.recallgate.recall.TestDatabase;
import io.recallgate.recall.api.Scope;
import io.recallgate.recall.database.Database;
import io.recallgate.time.FakeClock;
import io.recallgate.time.VertxTimers;
import io.vertx.core.Vertx;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TermStatisticsTest {

    @Test
    void aDatabaseInTroubleIsAskedNowAndThenAndNotByEveryRecall() {
        Vertx vertx = Vertx.vertx();
        FakeClock clock = new FakeClock();
        Logger logger = (Logger) LoggerFactory.getLogger(TermStatistics.class);
        Level level = logger.getLevel();
        logger.setLevel(Level.INFO);
        ListAppender<ILoggingEvent> written = new ListAppender<>();
        written.start();
        logger.addAppender(written);
        try (TestDatabase server = TestDatabase.embedded()) {
            Database closed = Database.open(vertx, server.options(), new VertxTimers(vertx));
            Await.result(closed.close());
            TermStatistics statistics = new TermStatistics(closed, clock);
            for (int second = 0; second <= 60; second++) {
                assertThat(statistics.current(new Scope("owner", ""))).isNull();
                assertThat(statistics.current(new Scope("owner", ""))).isNull();
                clock.advanceMillis(1_000);
            }

            assertThat(written.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .satisfiesExactly(
                            first -> assertThat(first).endsWith("(the database is closing)"),
                            // Every five seconds, that is.
                            second -> assertThat(second).endsWith("; 11 more like it in the last minute"));
        } finally {
            logger.detachAppender(written);
            logger.setLevel(level);
            Await.result(vertx.close());
        }
    }
}
