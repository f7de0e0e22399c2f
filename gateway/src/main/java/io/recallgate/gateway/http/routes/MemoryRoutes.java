package io.recallgate.gateway.http.routes;

import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Parameters;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.recallgate.recall.api.Memory;
import io.recallgate.recall.api.MemoryKind;
import io.recallgate.recall.api.MemoryPage;
import io.recallgate.recall.api.MemoryQuery;
import io.recallgate.recall.api.MemoryService;
import io.recallgate.recall.api.MemoryState;
import io.recallgate.recall.json.MemoryJson;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Writing, reading, changing and removing memories. */
public final class MemoryRoutes {

    /** What a route that takes a JSON merge patch accepts. */
    public static final Set<String> PATCH_TYPES = Set.of("application/json", "application/merge-patch+json");

    private static final int DEFAULT_LIMIT = 50;

    /** JSON around a memory's content; an estimate, only to decide where it is encoded. */
    private static final long ENVELOPE_BYTES = 600;

    private final GatewayRuntime runtime;

    /** @param runtime asked on each request */
    public MemoryRoutes(GatewayRuntime runtime) {
        this.runtime = runtime;
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(HttpMethod.POST, "/v1/memories", Right.WRITE, this::remember)
                        .json(),
                Endpoint.of(HttpMethod.GET, "/v1/memories", Right.READ, this::list)
                        .query("session", "kind", "state", "limit", "cursor"),
                Endpoint.of(HttpMethod.DELETE, "/v1/memories", Right.WRITE, this::deleteSession)
                        .query("session"),
                Endpoint.of(HttpMethod.GET, "/v1/memories/{id}", Right.READ, this::get),
                Endpoint.of(HttpMethod.PATCH, "/v1/memories/{id}", Right.WRITE, this::patch)
                        .body(PATCH_TYPES),
                Endpoint.of(HttpMethod.DELETE, "/v1/memories/{id}", Right.WRITE, this::delete));
    }

    private MemoryService memories() {
        return runtime.services().memories();
    }

    private Future<Reply> remember(Exchange exchange) {
        return exchange.decode(MemoryJson::drafts)
                .compose(drafts -> memories().remember(exchange.scope(), drafts, exchange.deadline()))
                .map(stored -> Reply.json(202, stored.size() * ENVELOPE_BYTES, () -> MemoryJson.stored(stored)
                        .toBuffer()));
    }

    private Future<Reply> list(Exchange exchange) {
        MemoryQuery query = new MemoryQuery(
                exchange.query("session").map(Parameters::session).orElse(null),
                exchange.query("kind")
                        .map(text -> Parameters.oneOf("kind", text, MemoryKind.class))
                        .orElse(null),
                exchange.query("state")
                        .map(text -> Parameters.oneOf("state", text, MemoryState.class))
                        .orElse(null),
                exchange.query("limit")
                        .map(text -> (int) Parameters.whole("limit", text, 1, MemoryQuery.MAX_LIMIT))
                        .orElse(DEFAULT_LIMIT),
                exchange.query("cursor").orElse(null));
        return memories()
                .list(exchange.scope(), query, exchange.deadline())
                .map(page -> Reply.json(
                        200, estimate(page), () -> MemoryJson.page(page).toBuffer()));
    }

    private static long estimate(MemoryPage page) {
        return page.memories().stream().mapToLong(MemoryRoutes::estimate).sum();
    }

    static long estimate(Memory memory) {
        return ENVELOPE_BYTES + memory.draft().content().length();
    }

    private Future<Reply> deleteSession(Exchange exchange) {
        String session = Parameters.session(exchange.query("session").orElse(""));
        return memories()
                .deleteSession(exchange.scope(), session, exchange.deadline())
                .map(deleted -> Reply.json(200, new JsonObject().put("deleted", deleted)));
    }

    private Future<Reply> get(Exchange exchange) {
        return memories()
                .get(exchange.scope(), exchange.pathId("id"), exchange.deadline())
                .map(MemoryRoutes::reply);
    }

    private Future<Reply> patch(Exchange exchange) {
        UUID id = exchange.pathId("id");
        return exchange.decode(MemoryJson::patch)
                .compose(patch -> memories().patch(exchange.scope(), id, patch, exchange.deadline()))
                .map(MemoryRoutes::reply);
    }

    private static Reply reply(Memory memory) {
        return Reply.json(200, estimate(memory), () -> memory.toJson().toBuffer());
    }

    private Future<Reply> delete(Exchange exchange) {
        return memories()
                .delete(exchange.scope(), exchange.pathId("id"), exchange.deadline())
                .map(deleted -> Reply.noContent());
    }
}
