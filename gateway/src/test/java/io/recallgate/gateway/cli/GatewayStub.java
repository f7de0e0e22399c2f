package io.recallgate.gateway.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A gateway whose answers are written down beforehand. Routes nobody scripted answer 404. */
final class GatewayStub implements AutoCloseable {

    /** One request as it arrived. */
    record Request(String route, String query, String body, Map<String, List<String>> headers) {
        JsonObject json() {
            return new JsonObject(body);
        }

        String header(String name) {
            return headers.entrySet().stream()
                    .filter(entry -> entry.getKey().equalsIgnoreCase(name))
                    .map(entry -> entry.getValue().get(0))
                    .findFirst()
                    .orElse("");
        }
    }

    /** One answer. */
    record Reply(int status, String body, Map<String, String> headers) {
        static Reply ok(JsonObject body) {
            return new Reply(200, body.encode(), Map.of());
        }

        static Reply problem(int status, String code, String detail) {
            return new Reply(
                    status,
                    new JsonObject().put("code", code).put("detail", detail).encode(),
                    Map.of());
        }

        Reply retryAfter(int seconds) {
            return new Reply(status, body, Map.of("Retry-After", Integer.toString(seconds)));
        }
    }

    static {
        // The JDK's server sends headers and body in two packets; without this each answer waits 40 ms for an ACK.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final Map<String, Function<Request, Reply>> routes = new ConcurrentHashMap<>();
    private final List<Request> requests = Collections.synchronizedList(new ArrayList<>());

    GatewayStub() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::serve);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + port();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Answers in turn; the last one stays. */
    GatewayStub on(String route, Reply... replies) {
        Deque<Reply> script = new ArrayDeque<>(List.of(replies));
        return on(route, request -> {
            synchronized (script) {
                return script.size() > 1 ? script.removeFirst() : script.getFirst();
            }
        });
    }

    GatewayStub on(String route, Function<Request, Reply> answer) {
        routes.put(route, answer);
        return this;
    }

    List<Request> requests(String route) {
        synchronized (requests) {
            return requests.stream()
                    .filter(request -> request.route().equals(route))
                    .toList();
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String route =
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
            Request request = new Request(
                    route,
                    String.valueOf(exchange.getRequestURI().getQuery()),
                    body,
                    Map.copyOf(exchange.getRequestHeaders()));
            requests.add(request);
            Reply reply = routes.getOrDefault(route, ignored -> Reply.problem(404, "not-found", "no such route"))
                    .apply(request);
            reply.headers()
                    .forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
            byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
