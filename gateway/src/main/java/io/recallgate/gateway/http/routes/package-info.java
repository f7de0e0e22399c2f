/**
 * The routes, grouped by what they serve. Each group lists its endpoints; a handler decodes, calls one service and
 * encodes, and everything around that is the pipeline's.
 */
@NullMarked
package io.recallgate.gateway.http.routes;

import org.jspecify.annotations.NullMarked;
