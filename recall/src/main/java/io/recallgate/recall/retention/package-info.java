/**
 * Removes what is older than its project keeps: bounded steps beside the request path, one node at a time. Depends on
 * the database and is told of by nobody; the vector index is told what is gone.
 */
@NullMarked
package io.recallgate.recall.retention;

import org.jspecify.annotations.NullMarked;
