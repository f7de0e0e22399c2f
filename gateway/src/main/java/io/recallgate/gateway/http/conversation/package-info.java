/** Conversations over HTTP: one request through all its phases, to its provider and back. */
@NullMarked
package io.recallgate.gateway.http.conversation;

import org.jspecify.annotations.NullMarked;
