package io.recallgate.gateway.launch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.recallgate.gateway.config.RecallgateConfig.LogFormat;
import io.recallgate.trace.CallContext;
import io.recallgate.trace.TraceContext;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonLinesTest {

    private final LoggerContext context = new LoggerContext();

    private JsonObject line(@Nullable Throwable thrown) {
        return line("io.recallgate.some.Place", thrown);
    }

    private JsonObject line(String logger, @Nullable Throwable thrown) {
        JsonLines encoder = new JsonLines();
        encoder.setContext(context);
        encoder.start();
        LoggingEvent event = new LoggingEvent(
                "x", context.getLogger(logger), Level.WARN, "it said {}", thrown, new Object[] {"\"no\"\nand more"});
        LogFields.capture(event);
        String line = new String(encoder.encode(event), StandardCharsets.UTF_8);
        assertThat(line).endsWith("}\n");
        assertThat(line.lines()).hasSize(1);
        return new JsonObject(line);
    }

    @Test
    void anEventIsOneObjectOnOneLine() {
        JsonObject line = line(new IllegalStateException("broken\n\"here\""));

        assertThat(line.getString("level")).isEqualTo("WARN");
        assertThat(line.getString("loggerName")).isEqualTo("io.recallgate.some.Place");
        assertThat(line.getString("formattedMessage")).isEqualTo("it said \"no\"\nand more");
        assertThat(line.getJsonObject("throwable").getString("message")).isEqualTo("broken\n\"here\"");
        // Arguments and the like would show what the message leaves out.
        assertThat(line.fieldNames())
                .containsExactlyInAnyOrder(
                        "timestamp", "level", "threadName", "loggerName", "formattedMessage", "throwable");
    }

    @Test
    void aLineOfARequestNamesItAndItsTraceAndAHashOfItsOwner() throws Exception {
        CallContext call = CallContext.of("r-1", TraceContext.fresh()).ownedBy("alice");

        JsonObject line = CallContext.within(call, () -> line(null));

        assertThat(line.getString("request_id")).isEqualTo("r-1");
        assertThat(line.getString("trace_id")).isEqualTo(call.trace().traceId());
        assertThat(line.getString("span_id")).isEqualTo(call.trace().spanId());
        assertThat(line.getString("owner")).isEqualTo("2bd806c97f0e");
        assertThat(line.encode()).doesNotContain("alice");
    }

    @Test
    void aLineAboutLinesThatWereLeftOutIsNoRequests() throws Exception {
        CallContext call = CallContext.of("r-1", TraceContext.fresh()).ownedBy("alice");

        JsonObject line = CallContext.within(call, () -> line(RepeatLimit.class.getName(), null));

        assertThat(line.fieldNames()).doesNotContain("request_id", "trace_id", "span_id", "owner");
    }

    @Test
    void withoutATerminalTheFormatThatDecidesItselfIsJson() {
        assertThat(LogSetup.isJson(LogFormat.AUTO)).isTrue();
        assertThat(LogSetup.isJson(LogFormat.TEXT)).isFalse();
        System.setProperty("recallgate.terminal.err", "true");
        try {
            assertThat(LogSetup.isJson(LogFormat.AUTO)).isFalse();
            assertThat(LogSetup.isJson(LogFormat.JSON)).isTrue();
        } finally {
            System.clearProperty("recallgate.terminal.err");
        }
    }
}
