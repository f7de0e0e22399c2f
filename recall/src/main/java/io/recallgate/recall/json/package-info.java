/**
 * Strict JSON: what HTTP bodies and event-bus messages must look like, decoded into the records of {@code api}, and
 * their answers. Every refusal names the field as its writer wrote it. Pure functions; decode more than 256 KiB on a
 * worker.
 */
@NullMarked
package io.recallgate.recall.json;

import org.jspecify.annotations.NullMarked;
