package io.recallgate.gateway.cli.bench.sessions;

import io.recallgate.gateway.cli.bench.BenchContext;
import io.recallgate.gateway.cli.bench.sessions.StreamLoad.Streamed;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.console.Progress;
import io.recallgate.gateway.cli.measure.LoopLag;
import io.recallgate.gateway.cli.measure.PrometheusText;
import io.recallgate.gateway.cli.measure.Spans;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the way through the gateway costs where memory does nothing: what it adds to a small request, many streams at once, and
 * the largest bodies. Used by one thread.
 */
public final class RelayBench {

    private static final String SMALL_BODY = "{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":\""
            + "How are you today? ".repeat(100) + "\"}]}";

    private static final Map<String, String> MEMORY_OFF =
            Map.of("x-recallgate-memory", "off", "authorization", "Bearer bench");

    private static final int TRIES = 40;
    private static final long PAUSE_MILLIS = 500;

    private final BenchContext context;
    private final Map<String, String> environment;

    /**
     * @param context for progress and time
     * @param environment tells where caches are
     */
    public RelayBench(BenchContext context, Map<String, String> environment) {
        this.context = context;
        this.environment = Map.copyOf(environment);
    }

    /** What is measured. */
    public enum Part {
        /** What a small request takes more than without the gateway. */
        OVERHEAD,
        /** Many paced streams at once. */
        STREAMS,
        /** Bodies of 32 MiB. */
        BODIES,
        /** Clients that leave. */
        LEAVING
    }

    /**
     * What to do.
     *
     * @param parts of it
     * @param beside whether another gateway takes its turns, too
     * @param rounds measured small requests to each
     * @param streams at once
     * @param seconds that they take
     * @param everyMillis between two events of one
     * @param bodies of 32 MiB
     * @param leaving clients that leave before the first byte, and as many between two
     */
    public record Plan(
            Set<Part> parts,
            boolean beside,
            int rounds,
            int streams,
            int seconds,
            int everyMillis,
            int bodies,
            int leaving) {

        /** Copies the set. */
        public Plan {
            parts = EnumSet.copyOf(parts);
        }
    }

    /**
     * Small requests.
     *
     * @param direct to the provider
     * @param through this gateway, without memory
     * @param other through the other gateway, null without
     */
    public record Overhead(
            Spans direct, Spans through, @Nullable Spans other) {

        /** What this gateway adds to half of the requests. */
        public double addedMillis() {
            return through.percentileMillis(50) - direct.percentileMillis(50);
        }

        /** What the other one adds, 0 without. */
        public double otherAddedMillis() {
            return other == null ? 0 : other.percentileMillis(50) - direct.percentileMillis(50);
        }
    }

    /**
     * Streams.
     *
     * @param events that arrived
     * @param expected events
     * @param broken streams
     * @param loopLagP99Millis bound of it, null when the gateway does not tell
     * @param residentAtThirdBytes of the gateway after a third of the time
     * @param residentAtEndBytes just before they ended
     */
    public record Streams(
            long events,
            long expected,
            int broken,
            @Nullable Double loopLagP99Millis,
            long residentAtThirdBytes,
            long residentAtEndBytes) {}

    /**
     * Large bodies.
     *
     * @param off whole requests without memory
     * @param full whole requests with memory
     * @param loopLagP99Millis bound of it, null when the gateway does not tell
     */
    public record Bodies(Spans off, Spans full, @Nullable Double loopLagP99Millis) {}

    /**
     * From a client's leaving to the end of the provider's connection.
     *
     * @param before the first byte of the answer
     * @param between two bytes of it
     */
    public record Leaving(Spans before, Spans between) {}

    /** What was measured; null for parts that were left out. */
    public record Result(
            @Nullable Overhead overhead,
            @Nullable Streams streams,
            @Nullable Bodies bodies,
            @Nullable Leaving leaving) {}

    /**
     * Measures.
     *
     * @param directory for data, empty
     * @throws CommandFailedException if a process does not come up, or a request is not answered
     */
    public Result run(Path directory, Plan plan) {
        try (StubProcess provider = StubProcess.start()) {
            Map<String, String> settings = new HashMap<>(provider.settings());
            settings.put("RECALLGATE_EMBEDDING_PROVIDER", "none");
            settings.put("RECALLGATE_TURNS_ACTIVE", Integer.toString(Math.max(64, plan.streams())));
            settings.put("RECALLGATE_TURNS_ACTIVE_PER_OWNER", Integer.toString(Math.max(48, plan.streams())));
            try (SessionGateway gateway = start(directory, settings)) {
                Result result = new Result(
                        plan.parts().contains(Part.OVERHEAD) ? overhead(gateway, provider, plan) : null,
                        plan.parts().contains(Part.STREAMS) ? streams(gateway, plan) : null,
                        plan.parts().contains(Part.BODIES) ? bodies(gateway, plan) : null,
                        plan.parts().contains(Part.LEAVING)
                                ? new LeavingLoad(context).run(gateway.url(), provider.url(), plan.leaving())
                                : null);
                gateway.stop();
                return result;
            }
        }
    }

    private SessionGateway start(Path directory, Map<String, String> settings) {
        try (Progress progress = new Progress(context.screen(), context.clock(), "starting")) {
            progress.show("a gateway");
            return SessionGateway.start(context, directory, settings, false);
        }
    }

    /** One server that takes its turns. */
    private record Way(PlainHttp http, Map<String, String> headers, Spans spans) {}

    private Overhead overhead(SessionGateway gateway, StubProcess provider, Plan plan) {
        PortkeyProcess other = plan.beside() ? PortkeyProcess.start(context, environment) : null;
        List<Way> ways = new ArrayList<>();
        try (Progress progress = new Progress(context.screen(), context.clock(), "small requests")) {
            ways.add(way(provider.url(), Map.of("authorization", "Bearer bench")));
            ways.add(way(gateway.url(), MEMORY_OFF));
            if (other != null) {
                ways.add(way(other.url(), PortkeyProcess.headers(provider.url())));
            }
            byte[] body = SMALL_BODY.getBytes(StandardCharsets.UTF_8);
            // As many again before, for the compilers of all of them.
            for (int i = -plan.rounds(); i < plan.rounds(); i++) {
                for (Way way : ways) {
                    long began = context.clock().nanoTime();
                    way.http().post(ClientProtocol.OPENAI.path(), body, way.headers());
                    if (i >= 0) {
                        way.spans().add(context.clock().nanoTime() - began);
                    }
                }
                progress.show(i + plan.rounds() + 1L, 2L * plan.rounds(), "rounds");
                interruptible();
            }
            return new Overhead(
                    ways.get(0).spans(),
                    ways.get(1).spans(),
                    other == null ? null : ways.get(2).spans());
        } finally {
            ways.forEach(way -> way.http().close());
            if (other != null) {
                other.close();
            }
        }
    }

    private static Way way(URI server, Map<String, String> headers) {
        return new Way(new PlainHttp(server), headers, new Spans());
    }

    private static void interruptible() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CommandFailedException("interrupted while measuring");
        }
    }

    private Streams streams(SessionGateway gateway, Plan plan) {
        PrometheusText before = gateway.metrics();
        Streamed streamed = new StreamLoad(context).run(gateway.child(), gateway.url(), plan);
        return new Streams(
                streamed.events(),
                (long) Math.max(1, plan.seconds() * 1_000 / plan.everyMillis()) * plan.streams(),
                streamed.broken(),
                lag(before, gateway),
                streamed.residentAtThirdBytes(),
                streamed.residentAtEndBytes());
    }

    private static @Nullable Double lag(PrometheusText before, SessionGateway gateway) {
        OptionalDouble lag = LoopLag.percentileMillis(before, gateway.metrics(), 99);
        return lag.isPresent() ? lag.getAsDouble() : null;
    }

    private Bodies bodies(SessionGateway gateway, Plan plan) {
        byte[] body = largest();
        Spans off = new Spans();
        Spans full = new Spans();
        PrometheusText before = gateway.metrics();
        TurnClient client = new TurnClient(context.clock());
        try (Progress progress = new Progress(context.screen(), context.clock(), "bodies of 32 MiB")) {
            for (int i = 0; i < plan.bodies(); i++) {
                boolean memory = i % 2 == 1;
                Map<String, String> headers = memory ? Map.of("x-recallgate-session", "large-" + i) : MEMORY_OFF;
                (memory ? full : off).add(patiently(client, gateway.url(), body, headers));
                progress.show(i + 1, plan.bodies(), "bodies");
                interruptible();
            }
        }
        return new Bodies(off, full, lag(before, gateway));
    }

    /** One that is refused because too much is under way is sent again, as clients do; its time is that of the last try. */
    private long patiently(TurnClient client, URI gateway, byte[] body, Map<String, String> headers) {
        for (int i = 0; i < TRIES; i++) {
            TurnClient.TurnAnswer answer = client.send(gateway, ClientProtocol.OPENAI.path(), body, headers);
            if (answer.status() == 200) {
                return answer.nanos();
            }
            if (answer.status() != 429 && answer.status() != 503) {
                throw new CommandFailedException("a body of 32 MiB was refused with status " + answer.status() + ": "
                        + new String(answer.body(), StandardCharsets.UTF_8));
            }
            context.pauses().pauseMillis(PAUSE_MILLIS);
        }
        throw new CommandFailedException("a body of 32 MiB was refused " + TRIES + " times");
    }

    /** Of a model whose window nobody knows, so that nothing is cut: many messages, of some kilobytes each. */
    private static byte[] largest() {
        byte[] body = new byte[32 << 20];
        byte[] opening = "{\"model\":\"unknown\",\"messages\":[".getBytes(StandardCharsets.UTF_8);
        String message = "{\"role\":\"user\",\"content\":\"" + "All work and no play. ".repeat(150)
                + "\"},{\"role\":\"assistant\"," + "\"content\":\"Yes.\"},";
        byte[] pair = message.getBytes(StandardCharsets.UTF_8);
        String last = "{\"role\":\"user\",\"content\":\"";
        int at = 0;
        System.arraycopy(opening, 0, body, at, opening.length);
        at += opening.length;
        while (at + 2 * pair.length < body.length) {
            System.arraycopy(pair, 0, body, at, pair.length);
            at += pair.length;
        }
        byte[] begin = last.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(begin, 0, body, at, begin.length);
        at += begin.length;
        byte[] end = "\"}]}".getBytes(StandardCharsets.UTF_8);
        Arrays.fill(body, at, body.length - end.length, (byte) 'x');
        System.arraycopy(end, 0, body, body.length - end.length, end.length);
        return body;
    }
}
