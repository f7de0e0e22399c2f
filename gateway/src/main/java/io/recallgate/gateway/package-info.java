/** The gateway as one piece, to be embedded in another application. Everything else is in the packages below. */
@NullMarked
package io.recallgate.gateway;

import org.jspecify.annotations.NullMarked;
