/**
 * Files that hold conversations, read as a stream of memories to write: newline-delimited JSON, LoCoMo-style JSON, and
 * the sample that comes with Recallgate. Checks only what reading needs; whether a memory is valid the gateway decides.
 */
@NullMarked
package io.recallgate.gateway.cli.conversation;

import org.jspecify.annotations.NullMarked;
