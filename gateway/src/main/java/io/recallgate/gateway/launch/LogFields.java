package io.recallgate.gateway.launch;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.recallgate.trace.CallContext;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a line is logged for: {@code request_id}, {@code trace_id}, {@code span_id} and {@code owner}, a hash. Known only
 * to the thread that logs, so it goes along with the event, as its diagnostic context.
 */
final class LogFields {

    private LogFields() {}

    /** Gives the event what the current thread works for. To be called on the thread that logs, once. */
    static void capture(ILoggingEvent event) {
        if (event instanceof LoggingEvent own) {
            own.setMDCPropertyMap(of(event, CallContext.current()));
        }
    }

    private static Map<String, String> of(ILoggingEvent event, @Nullable CallContext call) {
        // What is told of other lines comes with a line of somebody who has nothing to do with them.
        if (call == null || event.getLoggerName().equals(RepeatLimit.class.getName())) {
            return Map.of();
        }
        Map<String, String> fields = new LinkedHashMap<>();
        if (!call.requestId().isEmpty()) {
            fields.put("request_id", call.requestId());
        }
        fields.put("trace_id", call.trace().traceId());
        fields.put("span_id", call.trace().spanId());
        call.ownerHash().ifPresent(hash -> fields.put("owner", hash));
        return fields;
    }
}
