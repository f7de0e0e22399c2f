package io.recallgate.gateway.config;

import io.recallgate.gateway.config.SettingType.Choice;
import io.recallgate.gateway.config.SettingType.ProjectDays;
import io.recallgate.gateway.config.SettingType.Text;
import io.recallgate.gateway.config.SettingType.Url;
import io.recallgate.gateway.config.SettingType.Whole;
import io.recallgate.gateway.config.SettingType.Words;
import io.recallgate.recall.api.RankingSignal;
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
    INITIALISATION_WATCHDOG_MS(
            "RECALLGATE_INITIALISATION_WATCHDOG_MS",
            "embedding.initialisation-watchdog-ms",
            new Whole(100, 3_600_000),
            "600000",
            "ms",
            "A worker that has not loaded its model by then counts as stuck. Loading cannot be interrupted."),
    DISPATCH_WATCHDOG_MS(
            "RECALLGATE_DISPATCH_WATCHDOG_MS",
            "embedding.dispatch-watchdog-ms",
            new Whole(10, 600_000),
            "10000",
            "ms",
            "Work sent to a worker that has not started by then is taken back once."),
    EXECUTION_WATCHDOG_MS(
            "RECALLGATE_EXECUTION_WATCHDOG_MS",
            "embedding.execution-watchdog-ms",
            new Whole(10, 3_600_000),
            "300000",
            "ms",
            "A run that takes longer is terminated natively and its worker replaced."),
    TERMINATION_GRACE_MS(
            "RECALLGATE_TERMINATION_GRACE_MS",
            "embedding.termination-grace-ms",
            new Whole(10, 60_000),
            "1000",
            "ms",
            "How long a terminated run may take to return before its worker is retired."),
    START_TRIES(
            "RECALLGATE_START_TRIES",
            "embedding.start-tries",
            new Whole(1, 10),
            "3",
            "tries",
            "Failed starts of a worker in a row before only a slow self-healing probe tries again."),
    START_BACKOFF_MS(
            "RECALLGATE_START_BACKOFF_MS",
            "embedding.start-backoff-ms",
            new Whole(10, 600_000),
            "2000",
            "ms",
            "Wait after a worker's first failed start; each further wait is four times as long."),
    SLICE_ROWS(
            "RECALLGATE_SLICE_ROWS",
            "embedding.slice-rows",
            new Whole(1, 256),
            "8",
            "rows",
            "Most rows of a slice, the longest a query waits behind a document."),
    SLICE_TOKENS(
            "RECALLGATE_SLICE_TOKENS",
            "embedding.slice-tokens",
            new Whole(16, 1_048_576),
            "4096",
            "tokens",
            "Most padded tokens of a slice; with the rows it bounds native memory."),
    DOCUMENT_FAIRNESS(
            "RECALLGATE_DOCUMENT_FAIRNESS",
            "embedding.document-fairness",
            new Whole(1, 1_000),
            "8",
            "slices",
            "After so many query slices one document slice runs, so that documents always progress."),
    QUEUE_OPERATIONS(
            "RECALLGATE_QUEUE_OPERATIONS",
            "embedding.queue-operations",
            new Whole(32, 65_536),
            "256",
            "operations",
            "Waiting and running operations; the next is refused with 429. A sixteenth is for queries only."),
    QUEUE_BYTES(
            "RECALLGATE_QUEUE_BYTES",
            "embedding.queue-bytes",
            new Whole(1L << 20, 1L << 30),
            "8388608",
            "bytes",
            "Bytes of waiting and running operations; the next is refused with 429. An eighth is for queries only."),

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
    RECALL_SIGNALS(
            "RECALLGATE_RECALL_SIGNALS",
            "recall.signals",
            new Words(Arrays.stream(RankingSignal.values())
                    .map(RankingSignal::wireName)
                    .toList()),
            "neighbours,cohesion,author-words,date-words,author-match,name-stripping",
            "",
            "What else counts for the order of hits. What each is worth is measured by: recallgate eval --ablate.",
            Trait.LIVE),

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

    LOG_FORMAT(
            "RECALLGATE_LOG_FORMAT",
            "log.format",
            Choice.of("text", "json"),
            "text",
            "",
            "text for people, json for collectors, one object a line."),
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
