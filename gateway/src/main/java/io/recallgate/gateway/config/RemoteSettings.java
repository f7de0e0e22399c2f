package io.recallgate.gateway.config;

import io.recallgate.embedding.remote.RemoteOptions;
import io.recallgate.gateway.config.Setting.Trait;
import io.recallgate.gateway.config.SettingTable.Entry;
import io.recallgate.gateway.config.SettingType.Choice;
import io.recallgate.gateway.config.SettingType.Prefix;
import io.recallgate.gateway.config.SettingType.Text;
import io.recallgate.gateway.config.SettingType.Url;
import io.recallgate.gateway.config.SettingType.Whole;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The settings of the remote provider: their lines in the table of {@link Setting}, and what is made of them. */
final class RemoteSettings {

    static final Entry URL = new Entry(
            "RECALLGATE_EMBEDDING_URL",
            "embedding.url",
            Url.of("https", "http"),
            null,
            "",
            "With openai: the base URL of the server, such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1.",
            Set.of());
    static final Entry API_KEY = new Entry(
            "RECALLGATE_EMBEDDING_API_KEY",
            "embedding.api-key",
            new Text("a key"),
            null,
            "",
            "With openai: sent as a bearer token. Unset sends none.",
            Set.of(Trait.SECRET));
    static final Entry DIMENSIONS = new Entry(
            "RECALLGATE_EMBEDDING_DIMENSIONS",
            "embedding.dimensions",
            new Whole(1, 16_000),
            null,
            "dimensions",
            "With openai: asked for with each request and checked in each answer. Unset: as many as the first answer has.",
            Set.of());
    static final Entry MAX_TOKENS = new Entry(
            "RECALLGATE_EMBEDDING_MAX_TOKENS",
            "embedding.max-tokens",
            new Whole(32, 1_048_576),
            "512",
            "tokens",
            "With openai: the model's window. Memories are cut to passages of it; short ones are found better.",
            Set.of());
    static final Entry QUERY_PREFIX = new Entry(
            "RECALLGATE_EMBEDDING_QUERY_PREFIX",
            "embedding.query-prefix",
            new Prefix(),
            null,
            "",
            "With openai: put before each question, for models that want one, such as 'query: '.",
            Set.of());
    static final Entry DOCUMENT_PREFIX = new Entry(
            "RECALLGATE_EMBEDDING_DOCUMENT_PREFIX",
            "embedding.document-prefix",
            new Prefix(),
            null,
            "",
            "With openai: put before each document, such as 'passage: '.",
            Set.of());
    static final Entry CANCELS_ON_DISCONNECT = new Entry(
            "RECALLGATE_EMBEDDING_CANCELS_ON_DISCONNECT",
            "embedding.cancels-on-disconnect",
            Choice.of("true", "false"),
            "false",
            "",
            "With openai: whether the server stops work when its client goes. If not, a connection stays taken until it"
                    + " has answered.",
            Set.of());
    static final Entry CONNECT_TIMEOUT_MS = new Entry(
            "RECALLGATE_EMBEDDING_CONNECT_TIMEOUT_MS",
            "embedding.connect-timeout-ms",
            new Whole(1, 60_000),
            "2000",
            "ms",
            "With openai: bound on a connection. Below the query's, so that a host that is gone is told from a slow one.",
            Set.of());
    static final Entry CONNECTIONS = new Entry(
            "RECALLGATE_EMBEDDING_CONNECTIONS",
            "embedding.connections",
            new Whole(2, 256),
            "8",
            "connections",
            "With openai: most requests at once. Documents get at most half of them, queries all but one.",
            Set.of());
    static final Entry BATCH_TIMEOUT_MS = new Entry(
            "RECALLGATE_EMBEDDING_BATCH_TIMEOUT_MS",
            "embedding.batch-timeout-ms",
            new Whole(10, 3_600_000),
            "60000",
            "ms",
            "With openai: bound on a request of documents, which the query's bound does not cut.",
            Set.of());
    static final Entry BATCH_INPUTS = new Entry(
            "RECALLGATE_EMBEDDING_BATCH_INPUTS",
            "embedding.batch-inputs",
            new Whole(1, 2_048),
            "32",
            "inputs",
            "With openai: most inputs of one request; more are sent in several. 32 is what every known server takes.",
            Set.of());
    static final Entry BREAKER_EXPIRIES = new Entry(
            "RECALLGATE_EMBEDDING_BREAKER_EXPIRIES",
            "embedding.breaker-expiries",
            new Whole(1, 1_000),
            "3",
            "queries",
            "With openai: after so many in a row that waited in vain, queries are not sent but answered lexically at once.",
            Set.of());
    static final Entry BREAKER_BACKOFF_MS = new Entry(
            "RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MS",
            "embedding.breaker-backoff-ms",
            new Whole(1, 3_600_000),
            "5000",
            "ms",
            "With openai: then one query tries again after this; doubles with each that tries in vain.",
            Set.of());
    static final Entry BREAKER_BACKOFF_MAX_MS = new Entry(
            "RECALLGATE_EMBEDDING_BREAKER_BACKOFF_MAX_MS",
            "embedding.breaker-backoff-max-ms",
            new Whole(1, 86_400_000),
            "60000",
            "ms",
            "With openai: the longest such wait, and so how long vectors are missed after a recovery.",
            Set.of());
    static final Entry BREAKER_PROBE_MS = new Entry(
            "RECALLGATE_EMBEDDING_BREAKER_PROBE_MS",
            "embedding.breaker-probe-ms",
            new Whole(10, 600_000),
            "30000",
            "ms",
            "With openai: bound on the request that tries again; longer than a query's, for a server that loads its model.",
            Set.of());

    /** What a header may carry. */
    private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

    private RemoteSettings() {}

    /** @throws ConfigException naming the setting that is missing or does not fit */
    static RemoteOptions of(SettingValues values) {
        return new RemoteOptions(server(values), model(values), bounds(values), breaker(values));
    }

    private static RemoteOptions.Server server(SettingValues values) {
        String url = values.text(Setting.EMBEDDING_URL)
                .orElseThrow(() -> missing(Setting.EMBEDDING_URL, "the base URL of the server"));
        Optional<String> key = values.text(Setting.EMBEDDING_API_KEY);
        if (key.isPresent() && !VISIBLE.matcher(key.get()).matches()) {
            throw new ConfigException(
                    Setting.EMBEDDING_API_KEY.environment() + ": allowed is a key of visible ASCII characters");
        }
        try {
            return new RemoteOptions.Server(
                    URI.create(url),
                    key,
                    Boolean.parseBoolean(values.required(Setting.EMBEDDING_CANCELS_ON_DISCONNECT)));
        } catch (IllegalArgumentException unfit) {
            // Not its value: what does not belong there may be a password.
            throw new ConfigException(Setting.EMBEDDING_URL.environment()
                    + ": allowed is a base URL such as https://api.openai.com/v1, without user, query and fragment; "
                    + Setting.EMBEDDING_API_KEY.environment() + " takes the key");
        }
    }

    private static RemoteOptions.Model model(SettingValues values) {
        if (values.get(Setting.EMBEDDING_MODEL).source() == SettingSource.DEFAULT) {
            throw missing(Setting.EMBEDDING_MODEL, "the model's name there");
        }
        return new RemoteOptions.Model(
                values.required(Setting.EMBEDDING_MODEL),
                values.text(Setting.EMBEDDING_DIMENSIONS).stream()
                        .mapToInt(Integer::parseInt)
                        .findFirst(),
                values.whole(Setting.EMBEDDING_MAX_TOKENS),
                values.text(Setting.EMBEDDING_QUERY_PREFIX).orElse(""),
                values.text(Setting.EMBEDDING_DOCUMENT_PREFIX).orElse(""));
    }

    private static RemoteOptions.Bounds bounds(SettingValues values) {
        int operations = values.whole(Setting.QUEUE_OPERATIONS);
        long bytes = values.number(Setting.QUEUE_BYTES);
        return new RemoteOptions.Bounds(
                millis(values, Setting.EMBEDDING_CONNECT_TIMEOUT_MS),
                millis(values, Setting.EMBEDDING_BATCH_TIMEOUT_MS),
                values.whole(Setting.EMBEDDING_BATCH_INPUTS),
                values.whole(Setting.EMBEDDING_CONNECTIONS),
                operations,
                operations - operations / 16,
                bytes,
                bytes - bytes / 8);
    }

    private static RemoteOptions.Breaker breaker(SettingValues values) {
        Duration backoff = millis(values, Setting.EMBEDDING_BREAKER_BACKOFF_MS);
        Duration most = millis(values, Setting.EMBEDDING_BREAKER_BACKOFF_MAX_MS);
        if (most.compareTo(backoff) < 0) {
            throw SettingValues.invalid(
                    Setting.EMBEDDING_BREAKER_BACKOFF_MAX_MS,
                    String.valueOf(most.toMillis()),
                    values.get(Setting.EMBEDDING_BREAKER_BACKOFF_MAX_MS).source(),
                    "at least " + Setting.EMBEDDING_BREAKER_BACKOFF_MS.environment());
        }
        return new RemoteOptions.Breaker(
                values.whole(Setting.EMBEDDING_BREAKER_EXPIRIES),
                backoff,
                most,
                millis(values, Setting.EMBEDDING_BREAKER_PROBE_MS));
    }

    private static Duration millis(SettingValues values, Setting setting) {
        return Duration.ofMillis(values.number(setting));
    }

    private static ConfigException missing(Setting setting, String what) {
        return new ConfigException(setting.environment() + " is not set: with "
                + Setting.EMBEDDING_PROVIDER.environment() + " 'openai' it is " + what);
    }
}
