/**
 * The closed family of failures. Everything that can go wrong for a caller is one {@link
 * io.recallgate.failure.FailureCode}, with one stable number for the event bus, one HTTP status and one shape in each
 * dialect; tests prove the tables total. Failures carry no stack trace, since they are outcomes and not defects, and no
 * text of a caller.
 */
@NullMarked
package io.recallgate.failure;

import org.jspecify.annotations.NullMarked;
