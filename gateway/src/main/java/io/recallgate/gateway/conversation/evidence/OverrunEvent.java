package io.recallgate.gateway.conversation.evidence;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Marks in a recording where a phase overran. */
@Name(OverrunEvent.NAME)
@Label("Overrun")
@Description("A phase of a conversation's turn took longer than it may")
@Category("Recallgate")
@StackTrace(false)
final class OverrunEvent extends Event {

    static final String NAME = "io.recallgate.Overrun";

    @Label("Request")
    final String requestId;

    @Label("Phase")
    final String phase;

    @Label("Took, in milliseconds")
    final long tookMillis;

    @Label("Bound, in milliseconds")
    final long boundMillis;

    @Label("What each phase took")
    final String phases;

    OverrunEvent(Overrun overrun) {
        requestId = overrun.requestId();
        phase = overrun.phase().label();
        tookMillis = overrun.tookMillis();
        boundMillis = overrun.boundMillis();
        phases = overrun.phases();
    }
}
