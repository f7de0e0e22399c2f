/**
 * Recall put together: one start that opens database, index, services, jobs and bus addresses, and one stop that takes
 * them down in order. Everything a user calls is in {@code api}.
 */
@NullMarked
package io.recallgate.recall;

import org.jspecify.annotations.NullMarked;
