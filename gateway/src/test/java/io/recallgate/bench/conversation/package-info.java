/** What reading, fitting and writing a long conversation costs. */
@NullMarked
package io.recallgate.bench.conversation;

import org.jspecify.annotations.NullMarked;
