/**
 * Memories in and out as NDJSON, of any number and in constant memory: an import is read only as fast as it is stored, an
 * export only as fast as it is taken.
 */
@NullMarked
package io.recallgate.gateway.http.transfer;

import org.jspecify.annotations.NullMarked;
