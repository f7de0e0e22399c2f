package io.recallgate.gateway.http;

import static io.recallgate.gateway.http.UpstreamStub.path;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.gateway.config.RecallgateConfig;
import io.recallgate.gateway.conversation.evidence.CaptureOptions;
import io.recallgate.gateway.conversation.evidence.OverrunCaptures;
import io.recallgate.gateway.conversation.fit.ContextWindows;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import io.recallgate.gateway.conversation.turn.PassThrough;
import io.recallgate.gateway.conversation.turn.Phase;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.postgres.Eventually;
import io.recallgate.time.SystemClock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Turns whose preparation overran, with the JVM's own recorder. */
@Timeout(300)
class ConversationOverrunTest {

    private static final long BUDGET_MILLIS = 20;

    /** So much longer than a busy machine stands still that it is the longest phase for certain. */
    private static final long SLOW_MILLIS = 3_000;

    @TempDir
    Path directory;

    private UpstreamStub upstream;
    private TestGateway gateway;
    private @Nullable OverrunCaptures captures;

    @BeforeEach
    void start() {
        upstream = new UpstreamStub();
        gateway = new TestGateway(new RecallgateConfig.Conversation(
                ScriptedRuntime.CONVERSATION.admission(),
                upstream.conversation().upstream(),
                new PreparationOptions(BUDGET_MILLIS, 8, 20, 8_000, ContextWindows.of(""))));
        gateway.runtime.turns = (request, run) -> {
            run.enter(Phase.DECODE);
            run.enter(Phase.IDENTIFY);
            run.enter(Phase.SELECT);
            Promise<Void> slow = Promise.promise();
            gateway.vertx.setTimer(SLOW_MILLIS, late -> slow.complete());
            return slow.future().map(over -> {
                run.enter(Phase.ASSEMBLE);
                return PassThrough.of(request, "m", false);
            });
        };
    }

    @AfterEach
    void stop() {
        if (captures != null) {
            captures.stop();
        }
        gateway.close();
        upstream.close();
    }

    private void captures(Path to) {
        captures = OverrunCaptures.of(new CaptureOptions(to, 2), SystemClock.INSTANCE, gateway.registry);
        captures.start();
        gateway.runtime.overruns = captures;
    }

    private HttpResponse<String> turn(String... headers) {
        return gateway.post(path(Protocol.OPENAI), "{\"messages\":[{\"content\":\"a secret word\"}]}", headers);
    }

    private List<Path> recordings() {
        if (!Files.isDirectory(directory.resolve("captures"))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory.resolve("captures"))) {
            return files.filter(file -> file.toString().endsWith(".jfr")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aTurnWhosePreparationOverranLeavesARecordingOfThatTime() throws Exception {
        captures(directory.resolve("captures"));
        // It is being started meanwhile: the turn that waits for it is not the first one that overruns.
        Eventually.holds("one is recorded", 60, () -> {
            assertThat(turn("x-request-id", "the-slow-one").statusCode()).isEqualTo(200);
            return !recordings().isEmpty();
        });

        Path file = recordings().get(0);
        assertThat(file.getFileName().toString()).endsWith("-select.jfr");
        assertThat(RecordingFile.readAllEvents(file))
                .anySatisfy(event -> {
                    assertThat(event.getEventType().getName()).isEqualTo("io.recallgate.Overrun");
                    assertThat(event.getString("requestId")).isEqualTo("the-slow-one");
                    assertThat(event.getLong("boundMillis")).isEqualTo(BUDGET_MILLIS);
                    assertThat(event.getString("phases")).contains("select;dur=");
                })
                .anySatisfy(event -> assertThat(event.getEventType().getName()).isEqualTo("jdk.ThreadDump"));
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("a secret word");
        gateway.awaitMetric("recallgate_turn_overruns_total{capture=\"recorded\"} 1.0");
    }

    @Test
    void aRecordingThatCannotBeWrittenIsNoFailureOfTheTurn() throws Exception {
        captures(Files.writeString(directory.resolve("file"), "").resolve("captures"));

        Eventually.holds("one is tried", 60, () -> {
            assertThat(turn().statusCode()).isEqualTo(200);
            return gateway.get("/metrics").body().contains("recallgate_turn_overruns_total{capture=\"failed\"} 1.0");
        });
    }

    @Test
    void aTurnThatIsQuickEnoughLeavesNone() {
        captures(directory.resolve("captures"));
        gateway.runtime.turns = (request, run) -> {
            run.enter(Phase.DECODE);
            run.enter(Phase.ASSEMBLE);
            return Future.succeededFuture(PassThrough.of(request, "m", false));
        };
        gateway.runtime.conversation = new RecallgateConfig.Conversation(
                ScriptedRuntime.CONVERSATION.admission(),
                upstream.conversation().upstream(),
                new PreparationOptions(60_000, 8, 20, 8_000, ContextWindows.of("")));

        assertThat(turn().statusCode()).isEqualTo(200);

        gateway.awaitMetric("recallgate_turn_active 0.0");
        for (String outcome : List.of("recorded", "failed", "paused", "off")) {
            assertThat(gateway.get("/metrics").body())
                    .contains("recallgate_turn_overruns_total{capture=\"" + outcome + "\"} 0.0");
        }
        assertThat(recordings()).isEmpty();
    }
}
