package io.recallgate.gateway.probe;

/**
 * What a probe says at an instant.
 *
 * @param state of its health
 * @param cause a short stable word for why
 * @param ageNanos of what it is said by: the attempt on its way when that is the reason, else the last result, else the
 *     schedule
 */
public record ProbeHealth(HealthState state, String cause, long ageNanos) {}
