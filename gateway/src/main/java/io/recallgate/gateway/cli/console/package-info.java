/**
 * What the command line knows about the terminal: how wide it is, how wide text is on it, tables, progress, and the one
 * line that says what went wrong. Nothing here talks to a gateway.
 */
@NullMarked
package io.recallgate.gateway.cli.console;

import org.jspecify.annotations.NullMarked;
