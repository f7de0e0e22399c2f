/**
 * The embedding pool's public event-bus addresses: the JSON of their messages, the endpoint that serves them and the
 * typed client. Ids in messages are the caller's, scoped by a client id that travels as a header. The bus is inside the
 * trust boundary.
 *
 * <p>{@code recallgate.embed} takes {@code id} (1 to 200 characters), {@code texts} or {@code tokens} (1 to 2,048 rows),
 * {@code input_type} ({@code document} unless given), {@code priority} (as the input type unless given) and {@code
 * deadline_ms} (1 to 3,600,000, counted from when the message is read; 30,000 unless given). What is not known or out
 * of range is refused and named in {@code field}. An id that is being served is refused as {@code conflict}, and the
 * request that has it goes on; it is free again once that is answered or cancelled. A cancellation that overtakes its
 * request counts: the request is answered {@code cancelled}, once, within ten seconds.
 *
 * <p>A failure is a reply with the family's stable number, whose message is a JSON object with {@code code}, {@code
 * detail} and, where they say something, {@code field} and {@code retry_after_ms}; see {@link
 * io.recallgate.embedding.bus.FailureReply}.
 */
@NullMarked
package io.recallgate.embedding.bus;

import org.jspecify.annotations.NullMarked;
