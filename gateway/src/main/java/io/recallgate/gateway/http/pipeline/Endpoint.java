package io.recallgate.gateway.http.pipeline;

import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.failure.Dialect;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.Set;

/**
 * One route: method, path and what is checked before its handler runs.
 *
 * @param method one method
 * @param path as in OpenAPI, such as {@code /v1/memories/{id}}; also its label in metrics, so never a raw path
 * @param dialect of its errors
 * @param gate what it asks for
 * @param right what a key needs; not looked at when the gate asks for no key
 * @param body media types it takes; empty for a route without body
 * @param query names of its query parameters
 * @param streams whether body and answer pass through piece by piece: the body is not read before the route, and the
 *     request's lifetime is a day
 * @param relays whether it passes a conversation on: larger bodies that may be compressed, and a query that is the provider's
 * @param route does the work
 */
public record Endpoint(
        HttpMethod method,
        String path,
        Dialect dialect,
        Gate gate,
        Right right,
        Set<String> body,
        Set<String> query,
        boolean streams,
        boolean relays,
        RouteHandler route) {

    /** What a JSON route takes. */
    public static final Set<String> JSON = Set.of("application/json");

    /** Does a route's work; runs on the request's event loop once every stage before has passed. */
    @FunctionalInterface
    public interface RouteHandler {
        /**
         * Serves one exchange.
         *
         * @return the answer; fails with a {@link io.recallgate.failure.FailureException}, which may also be thrown
         */
        Future<Reply> serve(Exchange exchange);
    }

    /** Copies the sets. */
    public Endpoint {
        body = Set.copyOf(body);
        query = Set.copyOf(query);
    }

    /** A native route that needs a key with {@code right} and takes neither body nor parameters. */
    public static Endpoint of(HttpMethod method, String path, Right right, RouteHandler route) {
        return new Endpoint(method, path, Dialect.NATIVE, Gate.KEY, right, Set.of(), Set.of(), false, false, route);
    }

    /** The same with another gate. */
    public Endpoint gate(Gate other) {
        return new Endpoint(method, path, dialect, other, right, body, query, streams, relays, route);
    }

    /** The same with errors of another dialect. */
    public Endpoint dialect(Dialect other) {
        return new Endpoint(method, path, other, gate, right, body, query, streams, relays, route);
    }

    /** The same with a JSON body. */
    public Endpoint json() {
        return body(JSON);
    }

    /** The same with a body of one of these media types. */
    public Endpoint body(Set<String> mediaTypes) {
        return new Endpoint(method, path, dialect, gate, right, mediaTypes, query, streams, relays, route);
    }

    /** The same with these query parameters. */
    public Endpoint query(String... names) {
        return new Endpoint(method, path, dialect, gate, right, body, Set.of(names), streams, relays, route);
    }

    /** The same as a streaming route: it uses {@link Exchange#incoming()} and {@link Exchange#stream}. */
    public Endpoint streaming() {
        return new Endpoint(method, path, dialect, gate, right, body, query, true, relays, route);
    }

    /** The same as a route that passes a conversation on. */
    public Endpoint relaying() {
        return new Endpoint(method, path, dialect, gate, right, body, query, streams, true, route);
    }

    /** The path as Vert.x writes it: {@code /v1/memories/:id}. */
    public String routerPath() {
        return path.replaceAll("\\{([a-z_]+)\\}", ":$1");
    }

    /** Whether the route reads a body. */
    public boolean takesBody() {
        return !body.isEmpty();
    }
}
