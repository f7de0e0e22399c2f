package io.recallgate.gateway.config;

import io.recallgate.embedding.remote.RemoteOptions;
import io.recallgate.gateway.conversation.admission.AdmissionLimits;
import io.recallgate.gateway.conversation.evidence.CaptureOptions;
import io.recallgate.gateway.conversation.prepare.PreparationOptions;
import io.recallgate.gateway.conversation.upstream.UpstreamOptions;
import io.recallgate.gateway.probe.ProbeOptions;
import io.recallgate.recall.api.RankingSettings;
import io.recallgate.recall.api.RankingSettings.FusionMethod;
import io.recallgate.recall.api.RankingSignal;
import io.recallgate.recall.api.RecallLogPolicy;
import io.recallgate.recall.api.RecallSettings;
import io.recallgate.recall.api.RetentionPolicy;
import io.vertx.core.json.JsonObject;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The configuration, typed. Immutable; settings that can change live are read from {@link SettingsHolder} on each call,
 * never from a kept copy of this.
 *
 * @param dataDir absolute
 * @param drainMillis bound on running work at a stop
 * @param http the HTTP server
 * @param database PostgreSQL
 * @param embedding the provider and the pool
 * @param conversation who may have conversations, and with whom
 * @param captures what phases that overran leave
 * @param recall recall and its jobs
 * @param recallLanguage whose stems words have: {@code auto}, or a code
 * @param recallLog what is kept of recalls
 * @param retention how long memories are kept
 * @param probes how probes are paced
 * @param log logging
 */
public record RecallgateConfig(
        Path dataDir,
        long drainMillis,
        Http http,
        Database database,
        Embedding embedding,
        Conversation conversation,
        CaptureOptions captures,
        RecallSettings recall,
        String recallLanguage,
        RecallLogPolicy recallLog,
        RetentionPolicy retention,
        ProbeOptions probes,
        Log log) {

    /**
     * The HTTP server.
     *
     * @param host listen address
     * @param port 0 to 65535; 0 takes any free one
     * @param apiKeysFile absolute; empty serves one local owner on loopback
     * @param bodyLimitBytes largest body of a native route
     * @param conversationBodyLimitBytes largest body of a conversation, also once it is inflated
     * @param requestLifetimeMillis absolute deadline of a request
     */
    public record Http(
            String host,
            int port,
            Optional<Path> apiKeysFile,
            long bodyLimitBytes,
            long conversationBodyLimitBytes,
            long requestLifetimeMillis) {}

    /**
     * Conversations.
     *
     * @param admission how many at once, and how many may wait
     * @param upstream the providers
     * @param preparation what a turn is given
     */
    public record Conversation(AdmissionLimits admission, UpstreamOptions upstream, PreparationOptions preparation) {}

    /**
     * PostgreSQL.
     *
     * @param url with user and password; empty starts the embedded one
     * @param poolSize connections
     */
    public record Database(Optional<String> url, int poolSize) {
        /** The embedded PostgreSQL admits 40 connections; migrations, health and a superuser need a few. */
        public static final int MAX_EMBEDDED_POOL_SIZE = 30;

        @Override
        public String toString() {
            return "Database[" + (url.isPresent() ? "external" : "embedded") + ", poolSize=" + poolSize + "]";
        }
    }

    /** Who embeds. */
    public enum Provider {
        /** A native model in this process. */
        LOCAL,
        /** Any server that speaks OpenAI's embeddings. */
        OPENAI,
        /** Nobody: lexical recall only. */
        NONE
    }

    /**
     * The provider and the pool.
     *
     * @param provider who embeds
     * @param model a bundled name or a directory
     * @param workers number of workers; empty for as many as cores and memory allow
     * @param pool watchdogs and bounds of the local pool
     * @param remote the remote provider; empty for another one
     */
    public record Embedding(
            Provider provider, String model, OptionalInt workers, Pool pool, Optional<RemoteOptions> remote) {}

    /**
     * Watchdogs and bounds of the local pool.
     *
     * @param initialisationWatchdogMillis bound on loading a model
     * @param dispatchWatchdogMillis bound on sent but not started
     * @param executionWatchdogMillis bound on a run
     * @param terminationGraceMillis bound on a terminated run's return
     * @param startTries failed starts in a row before only a probe tries
     * @param startBackoffMillis wait after the first failed start
     * @param sliceRows most rows of a slice
     * @param sliceTokens most padded tokens of a slice
     * @param documentFairness query slices before one document slice
     * @param queueOperations most waiting and running operations
     * @param queueBytes most bytes of them
     */
    public record Pool(
            long initialisationWatchdogMillis,
            long dispatchWatchdogMillis,
            long executionWatchdogMillis,
            long terminationGraceMillis,
            int startTries,
            long startBackoffMillis,
            int sliceRows,
            int sliceTokens,
            int documentFairness,
            int queueOperations,
            long queueBytes) {}

    /** How the log is written. */
    public enum LogFormat {
        /** For people on a terminal, and else for collectors. */
        AUTO,
        /** For people. */
        TEXT,
        /** One JSON object a line. */
        JSON
    }

    /**
     * Logging.
     *
     * @param format how a line looks
     * @param level least severe level, in lower case
     */
    public record Log(LogFormat format, String level) {}

    /**
     * The configuration of a process.
     *
     * @param environment as {@code System.getenv()}
     * @param file a YAML file; empty for none. Blocks on it
     * @throws ConfigException one line about the first thing that is wrong
     */
    public static RecallgateConfig load(Map<String, String> environment, Optional<Path> file) {
        return SettingsHolder.load(environment, file).config();
    }

    /**
     * The configuration of an application that embeds the gateway: the environment is not read.
     *
     * @param object in the shape of {@code conf/recallgate.yaml}
     * @throws ConfigException one line about the first thing that is wrong
     */
    public static RecallgateConfig of(JsonObject object) {
        return SettingsHolder.of(object).config();
    }

    /** The default configuration. */
    public static RecallgateConfig defaults() {
        return of(SettingValues.of(Map.of()));
    }

    static RecallgateConfig of(SettingValues values) {
        RecallgateConfig config = new RecallgateConfig(
                path(values, Setting.DATA_DIR),
                values.number(Setting.DRAIN_MS),
                http(values),
                new Database(values.text(Setting.DATABASE_URL), values.whole(Setting.DATABASE_POOL_SIZE)),
                embedding(values),
                ConversationSettings.of(values),
                new CaptureOptions(captures(values), values.whole(Setting.CAPTURE_FILES)),
                recall(values),
                values.required(Setting.RECALL_LANGUAGE),
                new RecallLogPolicy(
                        RecallLogPolicy.Questions.valueOf(
                                values.required(Setting.RECALL_LOG).toUpperCase(Locale.ROOT)),
                        values.whole(Setting.RECALL_LOG_DAYS)),
                new RetentionPolicy(
                        values.whole(Setting.RETENTION_DAYS),
                        values.text(Setting.RETENTION_OVERRIDES)
                                .map(SettingType.ProjectDays::parse)
                                .orElse(Map.of())),
                ProbeSettings.of(values),
                new Log(
                        LogFormat.valueOf(values.required(Setting.LOG_FORMAT).toUpperCase(Locale.ROOT)),
                        values.required(Setting.LOG_LEVEL)));
        CrossChecks.check(config, values);
        return config;
    }

    private static Http http(SettingValues values) {
        return new Http(
                values.required(Setting.HTTP_HOST),
                values.whole(Setting.HTTP_PORT),
                values.text(Setting.API_KEYS_FILE).map(file -> path(values, Setting.API_KEYS_FILE)),
                values.number(Setting.BODY_LIMIT_BYTES),
                values.number(Setting.CONVERSATION_BODY_LIMIT_BYTES),
                values.number(Setting.REQUEST_LIFETIME_MS));
    }

    private static Embedding embedding(SettingValues values) {
        Provider provider =
                Provider.valueOf(values.required(Setting.EMBEDDING_PROVIDER).toUpperCase(Locale.ROOT));
        return new Embedding(
                provider,
                values.required(Setting.EMBEDDING_MODEL),
                values.text(Setting.EMBEDDING_WORKERS).stream()
                        .mapToInt(Integer::parseInt)
                        .findFirst(),
                new Pool(
                        values.number(Setting.INITIALISATION_WATCHDOG_MS),
                        values.number(Setting.DISPATCH_WATCHDOG_MS),
                        values.number(Setting.EXECUTION_WATCHDOG_MS),
                        values.number(Setting.TERMINATION_GRACE_MS),
                        values.whole(Setting.START_TRIES),
                        values.number(Setting.START_BACKOFF_MS),
                        values.whole(Setting.SLICE_ROWS),
                        values.whole(Setting.SLICE_TOKENS),
                        values.whole(Setting.DOCUMENT_FAIRNESS),
                        values.whole(Setting.QUEUE_OPERATIONS),
                        values.number(Setting.QUEUE_BYTES)),
                provider == Provider.OPENAI ? Optional.of(RemoteSettings.of(values)) : Optional.empty());
    }

    private static RecallSettings recall(SettingValues values) {
        return new RecallSettings(
                values.number(Setting.EMBEDDING_TIMEOUT_MS),
                values.number(Setting.JOB_LEASE_MS),
                values.whole(Setting.JOB_MAX_ATTEMPTS),
                values.number(Setting.JOB_BACKOFF_BASE_MS),
                values.number(Setting.JOB_BACKOFF_MAX_MS),
                values.number(Setting.JOB_POLL_MS),
                values.number(Setting.OTHER_MODELS_KEEP_MS),
                values.number(Setting.EXACT_INDEX_CACHE_BYTES),
                ranking(values));
    }

    private static RankingSettings ranking(SettingValues values) {
        Set<String> signals = Set.copyOf(SettingType.Words.parse(values.required(Setting.RECALL_SIGNALS)));
        return new RankingSettings(
                FusionMethod.valueOf(values.required(Setting.RECALL_FUSION).toUpperCase(Locale.ROOT)),
                Arrays.stream(RankingSignal.values())
                        .filter(signal -> signals.contains(signal.wireName()))
                        .collect(Collectors.toSet()));
    }

    private static Path captures(SettingValues values) {
        return values.text(Setting.CAPTURE_DIR).isPresent()
                ? path(values, Setting.CAPTURE_DIR)
                : path(values, Setting.DATA_DIR).resolve("captures");
    }

    private static Path path(SettingValues values, Setting setting) {
        String text = values.required(setting);
        try {
            return Path.of(text).toAbsolutePath().normalize();
        } catch (InvalidPathException invalid) {
            throw SettingValues.invalid(
                    setting, text, values.get(setting).source(), setting.type().allowed());
        }
    }
}
