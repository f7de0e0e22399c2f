package io.recallgate.gateway.probe;

/**
 * A probe at an instant.
 *
 * @param name which
 * @param view its gate as the last event left it
 * @param health what that means now
 * @param atNanos now, on the gate's clock
 */
public record ProbeReport(ProbeName name, ProbeView view, ProbeHealth health, long atNanos) {}
