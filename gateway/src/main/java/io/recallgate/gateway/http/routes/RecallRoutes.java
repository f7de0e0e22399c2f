package io.recallgate.gateway.http.routes;

import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.json.RecallJson;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;

/** {@code POST /v1/recall}. */
public final class RecallRoutes {

    private final GatewayRuntime runtime;

    /** @param runtime asked on each request */
    public RecallRoutes(GatewayRuntime runtime) {
        this.runtime = runtime;
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(Endpoint.of(HttpMethod.POST, "/v1/recall", Right.READ, this::recall)
                .json());
    }

    private Future<Reply> recall(Exchange exchange) {
        return exchange.decode(body -> RecallJson.request(body, exchange.deadline(), exchange.cancel()))
                .compose(request -> runtime.services().recall().recall(exchange.scope(), request))
                .map(RecallRoutes::reply);
    }

    private static Reply reply(RecallResponse response) {
        long estimate = response.hits().stream()
                .mapToLong(hit -> MemoryRoutes.estimate(hit.memory()))
                .sum();
        Reply reply = Reply.json(200, estimate, () -> response.toJson().toBuffer());
        return response.degraded() == null
                ? reply
                : reply.header("x-recallgate-degraded", response.degraded().wireName());
    }
}
