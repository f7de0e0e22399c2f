/** Where whoever asked for something is answered: on its own Vert.x context, whatever thread has the answer. */
@NullMarked
package io.recallgate.caller;

import org.jspecify.annotations.NullMarked;
