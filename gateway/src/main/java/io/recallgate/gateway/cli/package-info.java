/**
 * The command line. {@code serve} and {@code demo} start a gateway in this process; every other command talks to a
 * running one over HTTP, as any client would. Exit status: 0 done, 1 failed, 2 wrong usage.
 */
@NullMarked
package io.recallgate.gateway.cli;

import org.jspecify.annotations.NullMarked;
