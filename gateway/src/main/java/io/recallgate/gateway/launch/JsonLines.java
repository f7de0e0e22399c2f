package io.recallgate.gateway.launch;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.recallgate.trace.CallContext;

/**
 * A log line for collectors: one JSON object, with what it was logged for: {@code request_id}, {@code trace_id}, {@code
 * span_id} and {@code owner}, a hash. Encodes on the thread that logs, whose request it is.
 */
final class JsonLines extends JsonEncoder {

    JsonLines() {
        setWithSequenceNumber(false);
        setWithNanoseconds(false);
        setWithContext(false);
        setWithMDC(false);
        setWithArguments(false);
        setWithMessage(false);
        setWithFormattedMessage(true);
    }

    @Override
    protected void appendCustomFields(StringBuilder line, ILoggingEvent event) {
        CallContext call = CallContext.current();
        // What is told of other lines comes with a line of somebody who has nothing to do with them.
        if (call == null || event.getLoggerName().equals(RepeatLimit.class.getName())) {
            return;
        }
        if (!call.requestId().isEmpty()) {
            member(line, "request_id", call.requestId());
        }
        member(line, "trace_id", call.trace().traceId());
        member(line, "span_id", call.trace().spanId());
        call.ownerHash().ifPresent(hash -> member(line, "owner", hash));
    }

    /** None of the values has a character that JSON escapes: see {@link CallContext#requestId()}. */
    private void member(StringBuilder line, String name, String value) {
        line.append(VALUE_SEPARATOR);
        appenderMember(line, name, value);
    }
}
