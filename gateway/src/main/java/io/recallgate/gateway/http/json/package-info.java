/** Decoding and encoding of JSON bodies: strict, bounded in depth, and off the event loop when large. */
@NullMarked
package io.recallgate.gateway.http.json;

import org.jspecify.annotations.NullMarked;
