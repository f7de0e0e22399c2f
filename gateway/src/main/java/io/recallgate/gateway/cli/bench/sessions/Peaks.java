package io.recallgate.gateway.cli.bench.sessions;

/**
 * The most that was seen of a gateway.
 *
 * @param residentBytes of its JVM; 0 where there is no /proc
 * @param lastResidentBytes the same when it was looked at last
 * @param queueDepth of the embedding pool, questions and documents
 * @param queueAgeMillis of the oldest of them
 * @param jobs that are to be embedded
 * @param jobAgeMillis of the oldest of them
 */
public record Peaks(
        long residentBytes,
        long lastResidentBytes,
        long queueDepth,
        long queueAgeMillis,
        long jobs,
        long jobAgeMillis) {}
