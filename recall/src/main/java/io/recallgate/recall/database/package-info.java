/**
 * PostgreSQL as the rest of recall sees it: connection options, a bounded pool, units of work that run under a deadline,
 * SQL in named files, and one place that turns database errors into the closed failure family.
 */
@NullMarked
package io.recallgate.recall.database;

import org.jspecify.annotations.NullMarked;
