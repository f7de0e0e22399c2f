package io.recallgate.gateway.http.routes;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;

/** Routes that are designed and not built yet. They say so in their own dialect instead of pretending. */
public final class PendingRoutes {

    private PendingRoutes() {}

    /** The routes; each answers 501. */
    public static List<Endpoint> endpoints() {
        return List.of(
                pending(HttpMethod.GET, "/v1/probes", Right.READ),
                pending(HttpMethod.POST, "/v1/probes/{name}/run", Right.ADMIN));
    }

    private static Endpoint pending(HttpMethod method, String path, Right right) {
        FailureException notYet = new FailureException(
                FailureCode.NOT_IMPLEMENTED, method + " " + path + " is not part of this version yet");
        return Endpoint.of(method, path, right, exchange -> Future.failedFuture(notYet));
    }
}
