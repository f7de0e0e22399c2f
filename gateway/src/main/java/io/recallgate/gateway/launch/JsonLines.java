package io.recallgate.gateway.launch;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.recallgate.trace.CallContext;

/** A log line for collectors: one JSON object, with what it was logged for: the {@link LogFields} that its event has. */
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
        event.getMDCPropertyMap().forEach((name, value) -> member(line, name, value));
    }

    /** None of the values has a character that JSON escapes: see {@link CallContext#requestId()}. */
    private void member(StringBuilder line, String name, String value) {
        line.append(VALUE_SEPARATOR);
        appenderMember(line, name, value);
    }
}
