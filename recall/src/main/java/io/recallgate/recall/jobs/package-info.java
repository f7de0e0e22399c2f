/**
 * Durable embedding jobs: rows with a documented state machine, claimed by any node, leased, and fenced by attempt. A
 * notification is a hint; polling is the truth. Vectors are committed only if memory, content, model, attempt and lease
 * are still the ones they were made for.
 */
@NullMarked
package io.recallgate.recall.jobs;

import org.jspecify.annotations.NullMarked;
