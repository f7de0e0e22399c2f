/**
 * Rows that probes write, read back and remove, beside the memories of people and in the same tables: they show whether
 * those can be written. They have an owner of their own that no key speaks for, no jobs, and are in no log and no count.
 */
@NullMarked
package io.recallgate.recall.canary;

import org.jspecify.annotations.NullMarked;
