package io.recallgate.trace;

import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.context.storage.ContextLocal;

/**
 * Where a Vert.x context keeps its {@link CallContext}. Every Vert.x loads this before it is made, since it lays out its
 * contexts then.
 */
public final class CallContextPlace implements VertxServiceProvider {

    static final ContextLocal<CallContext> PLACE = ContextLocal.registerLocal(CallContext.class);

    @Override
    public void init(VertxBootstrap bootstrap) {
        // That this class is loaded is all.
    }
}
