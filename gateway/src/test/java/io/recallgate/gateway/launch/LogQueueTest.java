package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.recallgate.time.Deadline;
import io.recallgate.time.SystemClock;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Before an output that can be held, as a pipe is whose reader stands still. */
@Timeout(120)
class LogQueueTest {

    private static final long BOUND_MILLIS = 60_000;

    private static final String DROPPED = "log lines dropped, since nobody read the log meanwhile: ";

    private final LoggerContext context = new LoggerContext();
    private final Output output = new Output();
    private final LogQueue queue = new LogQueue(output, context);

    private static final class Output extends UnsynchronizedAppenderBase<ILoggingEvent> {
        private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch stopped = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private volatile String writer = "";

        @Override
        protected void append(ILoggingEvent event) {
            writer = Thread.currentThread().getName();
            reached.countDown();
            boolean interrupted = false;
            // As a write does, which no interrupt ends.
            while (goOn.getCount() > 0) {
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            lines.add(event);
        }

        @Override
        public void stop() {
            stopped.countDown();
            super.stop();
        }

        private List<String> texts() {
            return lines.stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }

    @BeforeEach
    void start() {
        output.start();
        queue.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        output.goOn.countDown();
        queue.stop();
        output.stopped.await();
    }

    private void log(Level level, String template, Object... values) {
        queue.doAppend(new LoggingEvent("x", context.getLogger("io.recallgate.Place"), level, template, null, values));
    }

    /** Waits until the thread that writes stands still with one line, so that all others stay in the queue. */
    private void hold() throws InterruptedException {
        log(Level.INFO, "first");
        output.reached.await();
    }

    private boolean flush() {
        return queue.flush(Deadline.afterMillis(SystemClock.INSTANCE, BOUND_MILLIS));
    }

    @Test
    void aHeldOutputHoldsNobodyWhoLogsAndWhatIsDroppedIsToldOnceItGoesOn() throws Exception {
        hold();
        for (int i = 0; i < 3 * LogQueue.LINES; i++) {
            log(Level.ERROR, "{}", i);
        }
        output.goOn.countDown();
        while (queue.getNumberOfElementsInQueue() > 0) {
            Thread.onSpinWait();
        }
        log(Level.INFO, "next");
        assertThat(flush()).isTrue();

        assertThat(output.texts())
                .containsExactlyElementsOf(Stream.of(
                                Stream.of("first"),
                                IntStream.range(0, LogQueue.LINES).mapToObj(String::valueOf),
                                Stream.of(DROPPED + 2 * LogQueue.LINES),
                                Stream.of("next"))
                        .flatMap(lines -> lines)
                        .toList());
    }

    @Test
    void anEndTellsWhatWasDroppedThoughNoLineCame() throws Exception {
        hold();
        for (int i = 0; i < LogQueue.LINES + 7; i++) {
            log(Level.WARN, "{}", i);
        }
        output.goOn.countDown();

        assertThat(flush()).isTrue();

        assertThat(output.texts()).hasSize(LogQueue.LINES + 2).last().isEqualTo(DROPPED + 7);
    }

    @Test
    void whereOthersHaveFilledTheQueueThereIsStillRoomForWarnings() throws Exception {
        hold();
        for (int i = 0; i < 2 * LogQueue.LINES; i++) {
            log(Level.INFO, "news");
        }
        log(Level.WARN, "a warning");
        output.goOn.countDown();
        assertThat(flush()).isTrue();

        assertThat(output.texts()).contains("a warning");
        assertThat(output.texts().stream().filter("news"::equals).count())
                .isLessThanOrEqualTo(LogQueue.LINES - LogQueue.LINES / 5 + 1);
    }

    @Test
    void aLineShowsTheThreadTheTimeTheCallAndTheValuesOfWhoLogsIt() throws Exception {
        hold();
        StringBuilder value = new StringBuilder("as it is");
        CallContext call = CallContext.of("r-1", TraceContext.fresh()).ownedBy("alice");
        long before = System.currentTimeMillis();
        CallContext.within(call, () -> {
            log(Level.INFO, "value {}", value);
            return null;
        });
        long after = System.currentTimeMillis();
        value.append(" later");
        output.goOn.countDown();
        assertThat(flush()).isTrue();

        ILoggingEvent event = output.lines.get(1);
        assertThat(event.getFormattedMessage()).isEqualTo("value as it is");
        assertThat(event.getTimeStamp()).isBetween(before, after);
        assertThat(event.getThreadName())
                .isEqualTo(Thread.currentThread().getName())
                .isNotEqualTo(output.writer);
        assertThat(event.getMDCPropertyMap())
                .isEqualTo(Map.of(
                        "request_id",
                        "r-1",
                        "trace_id",
                        call.trace().traceId(),
                        "span_id",
                        call.trace().spanId(),
                        "owner",
                        "2bd806c97f0e"));
    }

    @Test
    void theLineAboutWhatWasDroppedIsNoCalls() throws Exception {
        hold();
        for (int i = 0; i <= LogQueue.LINES; i++) {
            log(Level.WARN, "{}", i);
        }
        output.goOn.countDown();
        CallContext.within(CallContext.of("r-1", TraceContext.fresh()), this::flush);

        assertThat(output.lines).last().satisfies(told -> {
            assertThat(told.getFormattedMessage()).isEqualTo(DROPPED + 1);
            assertThat(told.getMDCPropertyMap()).isEmpty();
        });
    }

    @Test
    void aFlushGivesUpAtItsDeadlineWhileTheOutputIsHeld() throws Exception {
        hold();

        assertThat(queue.flush(Deadline.afterMillis(SystemClock.INSTANCE, 10))).isFalse();
        assertThat(output.lines).isEmpty();
    }

    @Test
    void aStopLosesNothingThatIsQueuedThoughTheOutputGoesOnOnlyLaterAndItsThreadEnds() throws Exception {
        hold();
        for (int i = 0; i < 100; i++) {
            log(Level.INFO, "{}", i);
        }
        queue.setMaxFlushTime(10);

        queue.stop();
        assertThat(output.lines).isEmpty();
        output.goOn.countDown();
        output.stopped.await();

        assertThat(output.texts()).hasSize(101).last().isEqualTo("99");
    }
}
