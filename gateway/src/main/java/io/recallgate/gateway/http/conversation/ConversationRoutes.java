package io.recallgate.gateway.http.conversation;

import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.conversation.admission.TurnAdmission;
import io.recallgate.gateway.conversation.demo.DemoUpstream;
import io.recallgate.gateway.conversation.turn.MemoryUse;
import io.recallgate.gateway.conversation.turn.PassThrough;
import io.recallgate.gateway.conversation.turn.PhaseOrder;
import io.recallgate.gateway.conversation.turn.Protocol;
import io.recallgate.gateway.conversation.upstream.ProviderUpstream;
import io.recallgate.gateway.http.failure.Dialect;
import io.recallgate.gateway.http.json.JsonWorkers;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Gate;
import io.recallgate.gateway.http.pipeline.HttpEnvironment;
import io.recallgate.gateway.http.pipeline.Parameters;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;

/** {@code /v1/chat/completions} and {@code /v1/messages}. */
public final class ConversationRoutes {

    private static final String SESSION = "x-recallgate-session";
    private static final String MEMORY = "x-recallgate-memory";

    private final TurnParts parts;

    /** Connects to nobody yet. */
    public ConversationRoutes(Vertx vertx, GatewayRuntime runtime, HttpEnvironment environment, JsonWorkers workers) {
        PhaseOrder.check();
        parts = new TurnParts(
                runtime,
                environment,
                new TurnAdmission(
                        runtime.conversation().admission(),
                        environment.clock(),
                        environment.timers(),
                        environment.registry()),
                new ProviderUpstream(
                        vertx,
                        runtime.conversation().admission().active(),
                        () -> runtime.conversation().upstream(),
                        environment.clock(),
                        environment.timers()),
                new DemoUpstream(vertx, workers, environment.clock()),
                new PassThrough(workers),
                new TurnMetrics(environment.registry()));
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                endpoint("/v1/chat/completions", Protocol.OPENAI, Dialect.OPENAI),
                endpoint("/v1/messages", Protocol.ANTHROPIC, Dialect.ANTHROPIC));
    }

    private Endpoint endpoint(String path, Protocol protocol, Dialect dialect) {
        return Endpoint.of(HttpMethod.POST, path, Right.WRITE, exchange -> serve(exchange, protocol))
                .dialect(dialect)
                .gate(Gate.OWN_KEY_HEADER)
                .json()
                .relaying();
    }

    private Future<Reply> serve(Exchange exchange, Protocol protocol) {
        Optional<String> session = exchange.header(SESSION).map(ConversationRoutes::session);
        MemoryUse memory = exchange.header(MEMORY)
                .map(text -> Parameters.oneOf(MEMORY, text, MemoryUse.class))
                .orElse(MemoryUse.FULL);
        if (memory.recalls()) {
            exchange.require(Right.READ);
        }
        return new ConversationTurn(exchange, parts, protocol, session.orElse(null), memory).run();
    }

    /** Header values travel as bytes without a charset, so only what every charset agrees on is taken. */
    private static String session(String text) {
        if (text.isEmpty() || text.length() > 200 || !text.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
            throw Parameters.invalid(SESSION, SESSION + " must be 1 to 200 printable ASCII characters");
        }
        return text;
    }

    /** Lets go of the connections to providers. */
    public Future<Void> close() {
        return parts.provider().close();
    }
}
