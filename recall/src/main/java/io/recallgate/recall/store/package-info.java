/**
 * Memories on PostgreSQL. A write is one transaction over memories, their words and their embedding jobs; content that
 * changes loses its vectors and gets a new job in the same transaction. Every statement is scoped by owner and project.
 */
@NullMarked
package io.recallgate.recall.store;

import org.jspecify.annotations.NullMarked;
