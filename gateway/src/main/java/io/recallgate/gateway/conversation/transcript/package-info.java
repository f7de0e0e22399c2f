/**
 * A client's chat request as bytes with a map: where each message stands, who speaks, which tool calls belong together, and a
 * digest of the conversation up to each message. The bytes are read once and stay what the client sent. Pure functions: read
 * more than 256 KiB on a worker.
 */
@NullMarked
package io.recallgate.gateway.conversation.transcript;

import org.jspecify.annotations.NullMarked;
