/**
 * What a phase of a turn that overran leaves behind: a short recording of what the process did at that time. Knows nothing of
 * what turns say.
 */
@NullMarked
package io.recallgate.gateway.conversation.evidence;

import org.jspecify.annotations.NullMarked;
