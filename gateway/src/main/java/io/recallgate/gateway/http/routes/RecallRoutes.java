package io.recallgate.gateway.http.routes;

import io.recallgate.gateway.config.ApiKeys.Right;
import io.recallgate.gateway.http.pipeline.Endpoint;
import io.recallgate.gateway.http.pipeline.Exchange;
import io.recallgate.gateway.http.pipeline.Parameters;
import io.recallgate.gateway.http.pipeline.Reply;
import io.recallgate.gateway.runtime.GatewayRuntime;
import io.recallgate.recall.api.RecallResponse;
import io.recallgate.recall.api.RecallStatistics;
import io.recallgate.recall.json.RecallJson;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** Recall, and what it did of late. */
public final class RecallRoutes {

    /** A day: long enough for figures that mean something, and today's trouble is still seen in them. */
    private static final Duration DEFAULT_WINDOW = Duration.ofHours(24);

    private static final Pattern WINDOW = Pattern.compile("[1-9][0-9]{0,8}[smhd]");

    private final GatewayRuntime runtime;

    /** @param runtime asked on each request */
    public RecallRoutes(GatewayRuntime runtime) {
        this.runtime = runtime;
    }

    /** The routes. */
    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(HttpMethod.POST, "/v1/recall", Right.READ, this::recall)
                        .json(),
                Endpoint.of(HttpMethod.GET, "/v1/recall/stats", Right.READ, this::stats)
                        .query("window"));
    }

    private Future<Reply> recall(Exchange exchange) {
        return exchange.decode(body -> RecallJson.request(body, exchange.deadline(), exchange.cancel()))
                .compose(request -> runtime.services().recall().recall(exchange.scope(), request))
                .map(RecallRoutes::reply);
    }

    private Future<Reply> stats(Exchange exchange) {
        Duration window = exchange.query("window").map(RecallRoutes::window).orElse(DEFAULT_WINDOW);
        return runtime.services()
                .statistics()
                .recent(exchange.scope(), window, exchange.deadline())
                .map(stats -> Reply.json(200, stats.toJson()));
    }

    /** A number and a unit: {@code 90s}, {@code 15m}, {@code 24h}, {@code 7d}. */
    private static Duration window(String text) {
        if (WINDOW.matcher(text).matches()) {
            long number = Long.parseLong(text.substring(0, text.length() - 1));
            Duration window =
                    switch (text.charAt(text.length() - 1)) {
                        case 's' -> Duration.ofSeconds(number);
                        case 'm' -> Duration.ofMinutes(number);
                        case 'h' -> Duration.ofHours(number);
                        default -> Duration.ofDays(number);
                    };
            if (window.compareTo(RecallStatistics.MAX_WINDOW) <= 0) {
                return window;
            }
        }
        throw Parameters.invalid(
                "window",
                "window must be a whole number with s, m, h or d behind it, such as 15m, of at most "
                        + RecallStatistics.MAX_WINDOW.toDays() + "d");
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
