/**
 * Who calls and what they may do: a key becomes a principal with an owner and rights. Where keys come from is the
 * configuration's business; the routes see only {@link io.recallgate.gateway.http.access.KeyRing}.
 */
@NullMarked
package io.recallgate.gateway.http.access;

import org.jspecify.annotations.NullMarked;
