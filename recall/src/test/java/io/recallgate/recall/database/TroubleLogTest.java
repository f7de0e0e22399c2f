package io.recallgate.recall.database;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.time.FakeClock;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TroubleLogTest {

    private final FailureException away = new FailureException(
                    FailureCode.DATABASE_UNAVAILABLE, "the database is out of reach or refuses")
            .causedBy(new IOException("refused"));

    private final FakeClock clock = new FakeClock();
    private final Logger logger = (Logger) LoggerFactory.getLogger("trouble-log-test");
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();
    private final TroubleLog troubles = new TroubleLog(logger, clock, "jobs run again");

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        written.start();
        logger.addAppender(written);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(written);
    }

    @Test
    void anOutageIsOneLineAMinuteWithoutAStackTraceAndOneWhenItIsOver() {
        for (int second = 0; second < 150; second++) {
            troubles.trouble("no jobs can be claimed", away);
            clock.advanceMillis(1_000);
        }
        troubles.over();
        troubles.over();

        assertThat(lines())
                .containsExactly(
                        "no jobs can be claimed: database-unavailable (the database is out of reach or refuses)",
                        "no jobs can be claimed: database-unavailable (the database is out of reach or refuses);"
                                + " 59 more like it in the last minute",
                        "no jobs can be claimed: database-unavailable (the database is out of reach or refuses);"
                                + " 59 more like it in the last minute",
                        "jobs run again after 150 s");
        assertThat(written.list).allMatch(event -> event.getThrowableProxy() == null);
    }

    @Test
    void anErrorOfOurOwnKeepsItsStackTrace() {
        troubles.trouble("no jobs can be claimed", new IllegalStateException("a defect"));

        assertThat(lines()).containsExactly("no jobs can be claimed: internal");
        assertThat(written.list.get(0).getThrowableProxy()).isNotNull();
    }

    @Test
    void theNextOutageIsSaidAtOnce() {
        troubles.trouble("no jobs can be claimed", away);
        troubles.over();
        troubles.trouble("no jobs can be claimed", away);

        assertThat(lines()).hasSize(3);
    }

    private List<String> lines() {
        return written.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
