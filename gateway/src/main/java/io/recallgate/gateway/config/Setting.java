package io.recallgate.gateway.config;

import io.recallgate.gateway.config.SettingType.Choice;
import io.recallgate.gateway.config.SettingType.ProjectDays;
import io.recallgate.gateway.config.SettingType.Text;
import io.recallgate.gateway.config.SettingType.Url;
import io.recallgate.gateway.config.SettingType.Whole;
import io.recallgate.recall.api.RecallLogPolicy;
import io.recallgate.recall.api.RetentionPolicy;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every setting, as one table: the name in the environment, the key in the file, what is allowed, the default, the
 * unit, and why. {@code conf/recallgate.yaml} is written from it, and a test holds the two together.
 */
@SuppressWarnings("ImmutableEnumChecker") // SettingType is sealed and all its records are immutable
public enum Setting implements SettingTable {
    DATA_DIR(
            "RECALLGATE_DATA_DIR",
            "data-dir",
            new Text("a directory that can be written"),
            "./data",
            "path",
            "Holds the embedded PostgreSQL and extracted models. A relative path starts at the working directory."),
    DRAIN_MS(
            "RECALLGATE_DRAIN_MS",
            "drain-ms",
            new Whole(0, 300_000),
            "10000",
            "ms",
            "How long a stop waits for running requests and embeddings. An idle stop does not wait at all."),

    HTTP_HOST(
            "RECALLGATE_HTTP_HOST",
            "http.host",
            new Text("a host name or address"),
            "127.0.0.1",
            "",
            "Listen address. Anything but a loopback address needs an API keys file."),
    HTTP_PORT(
            "RECALLGATE_HTTP_PORT",
            "http.port",
            new Whole(0, 65_535),
            "7411",
            "",
            "Listen port. 0 takes any free one, printed on the listening line."),
    API_KEYS_FILE(
            "RECALLGATE_API_KEYS_FILE",
            "http.api-keys-file",
            new Text("a file of hashed keys"),
            null,
            "path",
            "Keys and their owners; the rights read, write and admin do not include each other. Unset serves the"
                    + " owner \"local\" without a key, on loopback only."),
    BODY_LIMIT_BYTES(
            "RECALLGATE_BODY_LIMIT_BYTES",
            "http.body-limit-bytes",
            new Whole(1_024, 256L << 20),
            "8388608",
            "bytes",
            "Largest body of a native route: 1,000 memories of 8 KiB. Held in memory, so it is bounded."),
    CONVERSATION_BODY_LIMIT_BYTES(
            "RECALLGATE_CONVERSATION_BODY_LIMIT_BYTES",
            "http.conversation-body-limit-bytes",
            new Whole(1_024, 256L << 20),
            "33554432",
            "bytes",
            "Largest body of a conversation, also once it is inflated: what Anthropic takes. Three such are held at once."),
    REQUEST_LIFETIME_MS(
            "RECALLGATE_REQUEST_LIFETIME_MS",
            "http.request-lifetime-ms",
            new Whole(1, 86_400_000),
            "900000",
            "ms",
            "Absolute deadline of a request. A caller may ask for less, never for more.",
            Trait.LIVE),

    DATABASE_URL(
            "RECALLGATE_DATABASE_URL",
            "database.url",
            Url.of("postgresql", "postgres"),
            null,
            "",
            "postgresql://user:password@host:5432/database, of PostgreSQL 15 or newer, encoding UTF-8, locale C.UTF-8;"
                    + " ?sslmode= takes disable, allow, prefer, require, verify-ca or verify-full, the last two with"
                    + " sslrootcert=FILE. Unset starts the embedded PostgreSQL.",
            Trait.SECRET),
    DATABASE_POOL_SIZE(
            "RECALLGATE_DATABASE_POOL_SIZE",
            "database.pool-size",
            new Whole(2, 100),
            "12",
            "connections",
            "Connections to PostgreSQL. The embedded one admits 40 in all."),

    EMBEDDING_PROVIDER(
            "RECALLGATE_EMBEDDING_PROVIDER",
            "embedding.provider",
            Choice.of("local", "openai", "none"),
            "local",
            "",
            "local runs the model in this process; openai asks any server that speaks OpenAI's /v1/embeddings; none"
                    + " serves lexical recall only."),
    EMBEDDING_MODEL(
            "RECALLGATE_EMBEDDING_MODEL",
            "embedding.model",
            new Text("a bundled name, or a directory with model.onnx, tokenizer.json and recallgate-model.yaml"),
            "e5-small-v2-q",
            "",
            "A bundled name, or a directory with model.onnx, tokenizer.json and recallgate-model.yaml; with the provider"
                    + " openai the model's name there."),
    EMBEDDING_WORKERS(
            "RECALLGATE_EMBEDDING_WORKERS",
            "embedding.workers",
            new Whole(1, 64),
            null,
            "workers",
            "Worker verticles, each with a native session. Unset: as many as cores and the memory gate allow."),
    EMBEDDING_TIMEOUT_MS(
            "EMBEDDING_TIMEOUT_MS",
            "embedding.timeout-ms",
            new Whole(1, 600_000),
            "2500",
            "ms",
            "Bound on a query's embedding. When it is over, lexical rows are the answer, labelled.",
            Trait.LIVE),
    EMBEDDING_URL(RemoteSettings.URL),
    EMBEDDING_API_KEY(RemoteSettings.API_KEY),
    EMBEDDING_DIMENSIONS(RemoteSettings.DIMENSIONS),
    EMBEDDING_MAX_TOKENS(RemoteSettings.MAX_TOKENS),
    EMBEDDING_QUERY_PREFIX(RemoteSettings.QUERY_PREFIX),
    EMBEDDING_DOCUMENT_PREFIX(RemoteSettings.DOCUMENT_PREFIX),
    EMBEDDING_CANCELS_ON_DISCONNECT(RemoteSettings.CANCELS_ON_DISCONNECT),
    EMBEDDING_CONNECT_TIMEOUT_MS(RemoteSettings.CONNECT_TIMEOUT_MS),
    EMBEDDING_CONNECTIONS(RemoteSettings.CONNECTIONS),
    EMBEDDING_BATCH_TIMEOUT_MS(RemoteSettings.BATCH_TIMEOUT_MS),
    EMBEDDING_BATCH_INPUTS(RemoteSettings.BATCH_INPUTS),
    EMBEDDING_BREAKER_EXPIRIES(RemoteSettings.BREAKER_EXPIRIES),
    EMBEDDING_BREAKER_BACKOFF_MS(RemoteSettings.BREAKER_BACKOFF_MS),
    EMBEDDING_BREAKER_BACKOFF_MAX_MS(RemoteSettings.BREAKER_BACKOFF_MAX_MS),
    EMBEDDING_BREAKER_PROBE_MS(RemoteSettings.BREAKER_PROBE_MS),
    INITIALISATION_WATCHDOG_MS(PoolSettings.INITIALISATION_WATCHDOG_MS),
    DISPATCH_WATCHDOG_MS(PoolSettings.DISPATCH_WATCHDOG_MS),
    EXECUTION_WATCHDOG_MS(PoolSettings.EXECUTION_WATCHDOG_MS),
    TERMINATION_GRACE_MS(PoolSettings.TERMINATION_GRACE_MS),
    START_TRIES(PoolSettings.START_TRIES),
    START_BACKOFF_MS(PoolSettings.START_BACKOFF_MS),
    SLICE_ROWS(PoolSettings.SLICE_ROWS),
    SLICE_TOKENS(PoolSettings.SLICE_TOKENS),
    DOCUMENT_FAIRNESS(PoolSettings.DOCUMENT_FAIRNESS),
    QUEUE_OPERATIONS(PoolSettings.QUEUE_OPERATIONS),
    QUEUE_BYTES(PoolSettings.QUEUE_BYTES),

    EXACT_INDEX_CACHE_BYTES(
            "RECALLGATE_EXACT_INDEX_CACHE_BYTES",
            "recall.exact-index-cache-bytes",
            new Whole(1L << 20, 1L << 34),
            "134217728",
            "bytes",
            "Vectors held in memory where PostgreSQL has no pgvector: 1.5 KiB each for 384 dimensions.",
            Trait.LIVE),

    RECALL_FUSION(
            "RECALLGATE_RECALL_FUSION",
            "recall.fusion",
            Choice.of("score", "rrf"),
            "score",
            "",
            "How words and meaning become one order: score adds up scaled scores, rrf reciprocal ranks with k = 60.",
            Trait.LIVE),
    RECALL_SIGNALS(WordSettings.SIGNALS),
    RECALL_LANGUAGE(WordSettings.LANGUAGE),

    RECALL_LOG(
            "RECALLGATE_RECALL_LOG",
            "recall.log",
            Choice.of("hashed", "text", "none"),
            "hashed",
            "",
            "What the log of recalls has of questions: a keyed hash, or their first 1,000 characters; none for no log.",
            Trait.LIVE),
    RECALL_LOG_DAYS(
            "RECALLGATE_RECALL_LOG_DAYS",
            "recall.log-days",
            new Whole(1, RecallLogPolicy.MAX_DAYS),
            "30",
            "days",
            "How long a recall stays in the log, which /v1/recall/stats is counted from.",
            Trait.LIVE),
    RETENTION_DAYS(
            "RECALLGATE_RETENTION_DAYS",
            "recall.retention-days",
            new Whole(0, RetentionPolicy.MAX_DAYS),
            "0",
            "days",
            "Memories that nobody has changed for so long are removed for good, but never pinned ones; looked at a"
                    + " minute after the start and then every ten. 0 keeps for ever.",
            Trait.LIVE),
    RETENTION_OVERRIDES(
            "RECALLGATE_RETENTION_OVERRIDES",
            "recall.retention-overrides",
            new ProjectDays(),
            null,
            "",
            "Days of single projects instead of the above: alice/atlas=30,alice/=0. The default project has no name;"
                    + " without keys the owner is local.",
            Trait.LIVE),

    UPSTREAM(ConversationSettings.UPSTREAM),
    UPSTREAM_OPENAI_URL(ConversationSettings.UPSTREAM_OPENAI_URL),
    UPSTREAM_ANTHROPIC_URL(ConversationSettings.UPSTREAM_ANTHROPIC_URL),
    UPSTREAM_CONNECT_TIMEOUT_MS(ConversationSettings.UPSTREAM_CONNECT_TIMEOUT_MS),
    UPSTREAM_FIRST_BYTE_TIMEOUT_MS(ConversationSettings.UPSTREAM_FIRST_BYTE_TIMEOUT_MS),
    UPSTREAM_SILENCE_TIMEOUT_MS(ConversationSettings.UPSTREAM_SILENCE_TIMEOUT_MS),
    TURNS_ACTIVE(ConversationSettings.TURNS_ACTIVE),
    TURNS_ACTIVE_PER_OWNER(ConversationSettings.TURNS_ACTIVE_PER_OWNER),
    TURNS_ACTIVE_PER_SESSION(ConversationSettings.TURNS_ACTIVE_PER_SESSION),
    TURNS_WAITING(ConversationSettings.TURNS_WAITING),
    TURNS_WAITING_PER_OWNER(ConversationSettings.TURNS_WAITING_PER_OWNER),
    TURNS_WAITING_PER_SESSION(ConversationSettings.TURNS_WAITING_PER_SESSION),
    TURNS_WAIT_MS(ConversationSettings.TURNS_WAIT_MS),
    PREPARATION_BUDGET_MS(PreparationSettings.PREPARATION_BUDGET_MS),
    TURN_MEMORIES(PreparationSettings.TURN_MEMORIES),
    TURN_PINNED(PreparationSettings.TURN_PINNED),
    TURN_MEMORY_CHARS(PreparationSettings.TURN_MEMORY_CHARS),
    CONTEXT_WINDOWS(PreparationSettings.CONTEXT_WINDOWS),
    CAPTURE_FILES(ConversationSettings.CAPTURE_FILES),
    CAPTURE_DIR(ConversationSettings.CAPTURE_DIR),

    JOB_LEASE_MS(
            "RECALLGATE_JOB_LEASE_MS",
            "jobs.lease-ms",
            new Whole(1_000, 3_600_000),
            "60000",
            "ms",
            "How long a claimed embedding job is held without renewal; it is renewed at a third.",
            Trait.LIVE),
    JOB_MAX_ATTEMPTS(
            "RECALLGATE_JOB_MAX_ATTEMPTS",
            "jobs.max-attempts",
            new Whole(1, 100),
            "5",
            "attempts",
            "A job that failed so often is failed for good, visible under /v1/jobs.",
            Trait.LIVE),
    JOB_BACKOFF_BASE_MS(
            "RECALLGATE_JOB_BACKOFF_BASE_MS",
            "jobs.backoff-base-ms",
            new Whole(1, 3_600_000),
            "1000",
            "ms",
            "Wait after a job's first failed attempt; doubles, with jitter.",
            Trait.LIVE),
    JOB_BACKOFF_MAX_MS(
            "RECALLGATE_JOB_BACKOFF_MAX_MS",
            "jobs.backoff-max-ms",
            new Whole(1, 86_400_000),
            "300000",
            "ms",
            "The longest wait between two attempts.",
            Trait.LIVE),
    JOB_POLL_MS(
            "RECALLGATE_JOB_POLL_MS",
            "jobs.poll-ms",
            new Whole(10, 600_000),
            "1000",
            "ms",
            "How often to look for jobs when nothing is notified: the notification is only a hint.",
            Trait.LIVE),
    OTHER_MODELS_KEEP_MS(
            "RECALLGATE_OTHER_MODELS_KEEP_MS",
            "jobs.other-models-keep-ms",
            new Whole(0, 31_536_000_000L),
            "3600000",
            "ms",
            "After a change of model: vectors of another model go once all have one of the new, and none is younger.",
            Trait.LIVE),

    PROBE_CADENCE_MS(ProbeSettings.CADENCE_MS),
    PROBE_DUTY(ProbeSettings.DUTY),
    PROBE_BUDGET_MS(ProbeSettings.BUDGET_MS),
    PROBE_BACKOFF_MS(ProbeSettings.BACKOFF_MS),
    PROBE_BACKOFF_MAX_MS(ProbeSettings.BACKOFF_MAX_MS),
    PROBE_MAX_FAILURES(ProbeSettings.MAX_FAILURES),

    LOG_FORMAT(
            "RECALLGATE_LOG_FORMAT",
            "log.format",
            Choice.of("auto", "text", "json"),
            "auto",
            "",
            "text for people, json for collectors, one object a line; auto is text where ./recallgate runs on a terminal."),
    LOG_LEVEL(
            "RECALLGATE_LOG_LEVEL",
            "log.level",
            Choice.of("error", "warn", "info", "debug"),
            "info",
            "",
            "Least severe level that is written. Texts of memories are never logged, at any level.");

    /** What else is to be known of a setting. */
    public enum Trait {
        /** Can change while the gateway runs. */
        LIVE,
        /** Its value is never shown; it may also come from the file that the name with _FILE points to. */
        SECRET
    }

    private static final Map<String, Setting> BY_NAME = index();

    private final Entry entry;

    Setting(
            String environment,
            String key,
            SettingType type,
            @Nullable String defaultValue,
            String unit,
            String description,
            Trait... traits) {
        entry = new Entry(environment, key, type, defaultValue, unit, description, Set.of(traits));
    }

    Setting(Entry entry) {
        this.entry = entry;
    }

    @Override
    public Entry entry() {
        return entry;
    }

    /**
     * The setting with this name in the environment, or this key in the file.
     *
     * @return empty for unknown names
     */
    public static Optional<Setting> named(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    private static Map<String, Setting> index() {
        Map<String, Setting> index = new LinkedHashMap<>();
        Arrays.stream(values()).forEach(setting -> {
            index.put(setting.environment(), setting);
            index.put(setting.key(), setting);
        });
        return Collections.unmodifiableMap(index);
    }
}
