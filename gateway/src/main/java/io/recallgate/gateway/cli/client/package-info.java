/**
 * The command line's client of a running gateway: HTTP with the gateway's key, patience with 429 and 503 as far as they
 * ask for it, and errors as one line that says what to do. Blocking, for the one thread of a command.
 */
@NullMarked
package io.recallgate.gateway.cli.client;

import org.jspecify.annotations.NullMarked;
