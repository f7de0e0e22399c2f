/**
 * Conversations on PostgreSQL: checkpoints, which tell how far a conversation was accepted, injections, which tell what
 * was put into its messages, and the one transaction that writes both together with a turn's memories and their jobs.
 */
@NullMarked
package io.recallgate.recall.conversation;

import org.jspecify.annotations.NullMarked;
