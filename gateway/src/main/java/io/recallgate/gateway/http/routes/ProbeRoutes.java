package io.recallgate.gateway.http.routes;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.probe.ProbeJson;
import io.recallgate.gateway.probe.ProbeName;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Probes. */
public final class ProbeRoutes {

    private final GatewayRuntime runtime;

    /** @param runtime asked on each request */
    public ProbeRoutes(GatewayRuntime runtime) {
        this.runtime = runtime;
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(HttpMethod.GET, "/v1/probes", Right.READ, this::probes),
                Endpoint.of(HttpMethod.POST, "/v1/probes/{name}/run", Right.ADMIN, this::run));
    }

    private Future<Reply> probes(Exchange exchange) {
        return Future.succeededFuture(
                Reply.json(200, ProbeJson.of(runtime.services().probes().reports())));
    }

    private Future<Reply> run(Exchange exchange) {
        return ProbeName.of(exchange.path("name"))
                .flatMap(name -> runtime.services().probes().run(name, exchange.deadline()))
                .orElseThrow(ProbeRoutes::unknown)
                .map(result -> Reply.json(200, ProbeJson.of(result)));
    }

    private static FailureException unknown() {
        return FailureException.ofField(
                FailureCode.NOT_FOUND,
                "name",
                "there is no such probe; there are "
                        + Arrays.stream(ProbeName.values())
                                .map(ProbeName::wireName)
                                .collect(Collectors.joining(", ")));
    }
}
