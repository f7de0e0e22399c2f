package io.recallgate.gateway.http.pipeline;

/** What every exchange passes, in this order. Cheap refusals come first: nothing is read, decoded or asked before. */
public enum Stage {
    /** The request gets its id, which every answer carries. */
    REQUEST_ID,
    /** What was sent ahead of an answer and could not be kept whole is refused here. */
    TURN,
    /** Starting and stopping gateways refuse here. */
    PHASE,
    /** The bound on requests in flight. */
    ADMISSION,
    /** The key becomes a principal and a scope, and has the right that the route needs. */
    AUTHENTICATION,
    /** Query parameters are known ones, and the caller's deadline is converted. */
    PARAMETERS,
    /** The body's media type is one the route takes. */
    MEDIA_TYPE,
    /** The body is read whole, within its bounds; a streaming route reads it itself. */
    BODY,
    /** The route does its work. */
    ROUTE
}
