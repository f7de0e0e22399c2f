/**
 * The running gateway: brings its parts up in order, tells how far it is, hands the services to the routes and takes
 * everything down again as a sequence. The routes see only {@link io.recallgate.gateway.runtime.GatewayRuntime}.
 */
@NullMarked
package io.recallgate.gateway.runtime;

import org.jspecify.annotations.NullMarked;
