/**
 * Brings a database to the schema this program needs, or says in one line why it cannot. Blocking JDBC, on worker
 * threads only.
 */
@NullMarked
package io.recallgate.recall.schema;

import org.jspecify.annotations.NullMarked;
