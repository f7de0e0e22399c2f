/**
 * The one table from a failure to what a caller reads: HTTP status, RFC 9457 problem details on native routes, and the
 * error object of each compatible dialect. The table is a switch over every {@link io.recallgate.failure.FailureCode},
 * so a code without a shape does not compile.
 */
@NullMarked
package io.recallgate.gateway.http.failure;

import org.jspecify.annotations.NullMarked;
