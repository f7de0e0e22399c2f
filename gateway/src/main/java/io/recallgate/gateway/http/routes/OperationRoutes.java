package io.recallgate.gateway.http.routes;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.recallgate.recall.json.JsonFields;
import io.recallgate.recall.json.RecallJson;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Jobs, workers and settings. */
public final class OperationRoutes {

    /** As long as a path may be on most systems. */
    private static final int MAX_MODEL_CHARS = 4_096;

    private static final Pattern SLOT = Pattern.compile("[0-9]{1,4}");

    private final GatewayRuntime runtime;

    /** @param runtime asked on each request */
    public OperationRoutes(GatewayRuntime runtime) {
        this.runtime = runtime;
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(HttpMethod.GET, "/v1/jobs", Right.READ, this::jobs),
                Endpoint.of(HttpMethod.POST, "/v1/jobs/retry", Right.ADMIN, this::retry),
                Endpoint.of(HttpMethod.GET, "/v1/workers", Right.READ, this::workers),
                Endpoint.of(HttpMethod.POST, "/v1/workers/{slot}/restart", Right.ADMIN, this::restart),
                Endpoint.of(HttpMethod.POST, "/v1/model", Right.ADMIN, this::replaceModel)
                        .json(),
                Endpoint.of(HttpMethod.GET, "/v1/settings", Right.ADMIN, this::settings),
                Endpoint.of(HttpMethod.PATCH, "/v1/settings", Right.ADMIN, this::override)
                        .body(MemoryRoutes.PATCH_TYPES));
    }

    private Future<Reply> jobs(Exchange exchange) {
        return runtime.services()
                .jobs()
                .report(exchange.scope(), exchange.deadline())
                .map(report -> Reply.json(200, RecallJson.jobs(report)));
    }

    private Future<Reply> retry(Exchange exchange) {
        return runtime.services()
                .jobs()
                .retryFailed(exchange.scope(), exchange.deadline())
                .map(retried -> Reply.json(200, new JsonObject().put("retried", retried)));
    }

    private Future<Reply> workers(Exchange exchange) {
        return runtime.services().workers().status().map(status -> Reply.json(200, status));
    }

    private Future<Reply> restart(Exchange exchange) {
        String slot = exchange.path("slot");
        if (!SLOT.matcher(slot).matches()) {
            throw FailureException.ofField(FailureCode.NOT_FOUND, "slot", "there is no such slot");
        }
        return runtime.services().workers().restart(Integer.parseInt(slot)).map(state -> Reply.json(202, state));
    }

    private Future<Reply> replaceModel(Exchange exchange) {
        return exchange.decode(OperationRoutes::model)
                .compose(model -> runtime.services().workers().replaceModel(model))
                .map(state -> Reply.json(202, state));
    }

    private static String model(JsonObject body) {
        JsonFields fields = new JsonFields(body, "");
        fields.only(Set.of("model"));
        String model = fields.name("model", MAX_MODEL_CHARS);
        if (model == null) {
            throw fields.invalid("model", "is missing: give a bundled model's name or a directory");
        }
        return model;
    }

    private Future<Reply> settings(Exchange exchange) {
        return Future.succeededFuture(Reply.json(200, runtime.settings().describe()));
    }

    private Future<Reply> override(Exchange exchange) {
        return exchange.decode(changes -> changes)
                .map(changes -> Reply.json(200, runtime.settings().override(changes)));
    }
}
