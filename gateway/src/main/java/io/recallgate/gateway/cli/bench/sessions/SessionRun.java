package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.bench.sessions.AgentSession.Ask;
import io.recallgate.gateway.cli.bench.sessions.TurnClient.TurnAnswer;
import io.recallgate.gateway.cli.bench.sessions.TurnSample.Kind;
import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayClient;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One session against one gateway after the other: sends its next request, checks what the provider and the client got, and at
 * the end what is remembered. Used by one thread.
 */
final class SessionRun {

    /** A gateway that has nothing safe to send says to come back in a second. */
    private static final int TRIES = 20;

    private static final long PAUSE_MILLIS = 250;
    private static final int MAX_PATIENCE_MILLIS = 120;
    private static final Pattern SAID = Pattern.compile("\\[([qat] [^\\]]+)\\]");

    private final BenchContext context;
    private final TurnClient client;
    private final StubProcess provider;
    private final Violations violations;
    private final AgentSession session;
    private final UpstreamCheck check;
    private final int planned;
    /** What is to be remembered, once each. */
    private final Set<String> toRemember = new HashSet<>();

    private final SplittableRandom patience;
    private int refused;
    private int givenUp;
    private int attempts;

    SessionRun(
            BenchContext context,
            TurnClient client,
            StubProcess provider,
            Violations violations,
            AgentSession session,
            int planned) {
        this.context = context;
        this.client = client;
        this.provider = provider;
        this.violations = violations;
        this.session = session;
        this.check = new UpstreamCheck(session, violations);
        this.planned = planned;
        this.patience = new SplittableRandom(session.name().hashCode());
    }

    /** How often it was refused. */
    int refused() {
        return refused;
    }

    /** How many requests were given up on the way. */
    int givenUp() {
        return givenUp;
    }

    UpstreamCheck check() {
        return check;
    }

    /**
     * The first request: all that was said before it is only read, since it would be a backlog of its own. What is told is how
     * it went the first time; until it went in full nothing is known of the session, and it is sent again.
     */
    TurnSample begin(URI gateway) {
        Ask ask = session.ask();
        TurnAnswer first = accepted(gateway, ask, "read");
        TurnAnswer last = first;
        for (int i = 0; i < TRIES && !last.header("x-recallgate-window").equals("full"); i++) {
            last = accepted(gateway, ask, "read");
        }
        TurnSample sample = checked(ask, Kind.COLD, last, keptKey(ask));
        return TurnSample.of(Kind.COLD, planned, first, sample.windowTokens());
    }

    /** The next one. */
    TurnSample step(URI gateway, Kind kind) {
        Ask ask = session.ask();
        toRemember.addAll(ask.added());
        if (!ask.reply().text().isEmpty()) {
            toRemember.add("a " + ask.reply().key());
        }
        return answered(gateway, ask, kind, "full");
    }

    /** Gives up the next request somewhere on its way. It is sent again by {@link #step}, which is told of it. */
    TurnSample stepGivenUpOnce(URI gateway, Kind kind) {
        Ask ask = session.ask();
        toRemember.addAll(ask.added());
        if (!ask.reply().text().isEmpty()) {
            toRemember.add("a " + ask.reply().key());
        }
        TurnClient.Pending pending =
                client.start(gateway, session.protocol().path(), ask.body(), headers(ask, "full", key(ask)));
        try {
            TurnAnswer early = client.answer(pending, Duration.ofMillis(patience.nextInt(1, MAX_PATIENCE_MILLIS)));
            if (early.status() == 200) {
                return checked(ask, kind, early, keptKey(ask));
            }
        } catch (TimeoutException slow) {
            // As it should be.
            pending.response().cancel(true);
            givenUp++;
        }
        return answered(gateway, ask, kind, "full");
    }

    private String key(Ask ask) {
        attempts++;
        return keptKey(ask);
    }

    private String keptKey(Ask ask) {
        return session.name() + "/" + ask.step() + "/" + attempts;
    }

    private Map<String, String> headers(Ask ask, String memory, String keep) {
        Map<String, String> headers = new HashMap<>();
        headers.put("x-recallgate-session", session.name());
        headers.put("x-recallgate-memory", memory);
        headers.put(StubProvider.REPLY, ask.reply().wire());
        headers.put(StubProvider.KEEP, keep);
        return headers;
    }

    private TurnSample answered(URI gateway, Ask ask, Kind kind, String memory) {
        TurnAnswer answer = accepted(gateway, ask, memory);
        return checked(ask, kind, answer, keptKey(ask));
    }

    /** Sends until it is not refused. */
    private TurnAnswer accepted(URI gateway, Ask ask, String memory) {
        for (int i = 0; i < TRIES; i++) {
            TurnAnswer answer =
                    client.send(gateway, session.protocol().path(), ask.body(), headers(ask, memory, key(ask)));
            if (answer.status() == 200) {
                return answer;
            }
            if (answer.status() != 503 && answer.status() != 429) {
                throw new CommandFailedException(where(ask) + " was refused with status " + answer.status() + ": "
                        + new String(answer.body(), StandardCharsets.UTF_8));
            }
            refused++;
            context.pauses().pauseMillis(PAUSE_MILLIS);
        }
        throw new CommandFailedException(where(ask) + " was refused " + TRIES + " times");
    }

    private TurnSample checked(Ask ask, Kind kind, TurnAnswer answer, String keep) {
        byte[] expected =
                String.join("", session.protocol().events(ask.reply())).getBytes(StandardCharsets.UTF_8);
        if (!Arrays.equals(expected, answer.body())) {
            violations.add(where(ask), "the client did not get what the provider sent");
        }
        byte[] upstream = client.get(URI.create(provider.url() + StubProvider.keptPath(keep)));
        UpstreamCheck.Sent sent = check.check(
                ask,
                upstream,
                answer.header("x-recallgate-window"),
                answer.header("x-recallgate-memories"),
                !answer.header("x-recallgate-degraded").isEmpty());
        session.answered();
        return TurnSample.of(kind, planned, answer, sent.tokens());
    }

    private String where(Ask ask) {
        return session.name() + " step " + ask.step();
    }

    /** Looks at what is remembered: all that was said in turns that went well, once, and nothing else. */
    void checkRemembered(GatewayClient gateway) {
        Answer export = gateway.get("/v1/export?session=" + URLEncoder.encode(session.name(), StandardCharsets.UTF_8));
        if (!export.isSuccess()) {
            throw new CommandFailedException("what is remembered cannot be checked: " + export.explain());
        }
        Set<String> missing = new HashSet<>(toRemember);
        Set<String> seen = new HashSet<>();
        export.text().lines().filter(line -> !line.isBlank()).forEach(line -> {
            Matcher said = SAID.matcher(new JsonObject(line).getString("content"));
            String key = said.find() ? said.group(1) : "";
            if (!seen.add(key)) {
                violations.add(session.name(), "'" + key + "' is remembered twice");
            } else if (!missing.remove(key)) {
                violations.add(session.name(), "'" + key + "' is remembered and was not said in a turn that went well");
            }
        });
        missing.forEach(key -> violations.add(session.name(), "'" + key + "' is not remembered"));
    }
}
