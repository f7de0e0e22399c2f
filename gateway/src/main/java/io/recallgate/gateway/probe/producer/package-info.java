/** What probes try out: that a text can be embedded and written, and that what is known can be recalled. */
@NullMarked
package io.recallgate.gateway.probe.producer;

import org.jspecify.annotations.NullMarked;
