/**
 * The gateway as a process: the main class, its Vert.x, its log, its HTTP server, signals and exit status. It says two
 * lines on standard output, {@code listening on} and {@code ready in}; what stops it is one line on standard error.
 */
@NullMarked
package io.recallgate.gateway.launch;

import org.jspecify.annotations.NullMarked;
