package io.recallgate.gateway.config;

import io.recallgate.gateway.config.Setting.Trait;
import io.recallgate.gateway.config.SettingTable.Entry;
import io.recallgate.gateway.config.SettingType.Choice;
import io.recallgate.gateway.config.SettingType.Text;
import io.recallgate.gateway.config.SettingType.Url;
import io.recallgate.gateway.config.SettingType.Whole;
import io.recallgate.gateway.conversation.admission.AdmissionLimits;
import io.recallgate.gateway.conversation.upstream.UpstreamOptions;
import java.net.URI;
import java.util.Set;

/** The settings of conversations: their lines in the table of {@link Setting}, and what is made of them. */
final class ConversationSettings {

    static final Entry UPSTREAM = new Entry(
            "RECALLGATE_UPSTREAM",
            "conversation.upstream",
            Choice.of("live", "demo"),
            "live",
            "",
            "live passes conversations to their provider; demo answers here, without one, and lists the memories it was given.",
            Set.of(Trait.LIVE));
    static final Entry UPSTREAM_OPENAI_URL = new Entry(
            "RECALLGATE_UPSTREAM_OPENAI_URL",
            "conversation.upstream-openai-url",
            Url.of("https", "http"),
            "https://api.openai.com",
            "",
            "Base URL for /v1/chat/completions, as OpenAI's own clients take it: /chat/completions is added, and /v1 where it has no path.",
            Set.of(Trait.LIVE));
    static final Entry UPSTREAM_ANTHROPIC_URL = new Entry(
            "RECALLGATE_UPSTREAM_ANTHROPIC_URL",
            "conversation.upstream-anthropic-url",
            Url.of("https", "http"),
            "https://api.anthropic.com",
            "",
            "Base URL for /v1/messages, as Anthropic's own clients take it: /v1/messages is added, or /messages where it ends in /v1.",
            Set.of(Trait.LIVE));
    static final Entry UPSTREAM_CONNECT_TIMEOUT_MS = new Entry(
            "RECALLGATE_UPSTREAM_CONNECT_TIMEOUT_MS",
            "conversation.upstream-connect-timeout-ms",
            new Whole(1, 60_000),
            "5000",
            "ms",
            "Bound on getting a connection to the provider, as the official clients have it.",
            Set.of());
    static final Entry UPSTREAM_FIRST_BYTE_TIMEOUT_MS = new Entry(
            "RECALLGATE_UPSTREAM_FIRST_BYTE_TIMEOUT_MS",
            "conversation.upstream-first-byte-timeout-ms",
            new Whole(1, 86_400_000),
            "600000",
            "ms",
            "From the connection to the head of the answer, which without streaming comes last; as the official clients have it.",
            Set.of(Trait.LIVE));
    static final Entry UPSTREAM_SILENCE_TIMEOUT_MS = new Entry(
            "RECALLGATE_UPSTREAM_SILENCE_TIMEOUT_MS",
            "conversation.upstream-silence-timeout-ms",
            new Whole(1, 86_400_000),
            "300000",
            "ms",
            "Between two pieces of an answer: models that think are silent for minutes. A client that does not read is not counted.",
            Set.of(Trait.LIVE));
    static final Entry TURNS_ACTIVE = new Entry(
            "RECALLGATE_TURNS_ACTIVE",
            "conversation.turns-active",
            new Whole(1, 4_096),
            "64",
            "turns",
            "Conversations at once; the next one waits. Also the most connections to a provider, so that none is waited for.",
            Set.of());
    static final Entry TURNS_ACTIVE_PER_OWNER = new Entry(
            "RECALLGATE_TURNS_ACTIVE_PER_OWNER",
            "conversation.turns-active-per-owner",
            new Whole(1, 4_096),
            "48",
            "turns",
            "Of one owner; the rest stays for others.",
            Set.of());
    static final Entry TURNS_ACTIVE_PER_SESSION = new Entry(
            "RECALLGATE_TURNS_ACTIVE_PER_SESSION",
            "conversation.turns-active-per-session",
            new Whole(1, 4_096),
            "4",
            "turns",
            "Of one session: agents ask in parallel, and one that waits for its own branch would wait for ever. The others keep order.",
            Set.of());
    static final Entry TURNS_WAITING = new Entry(
            "RECALLGATE_TURNS_WAITING",
            "conversation.turns-waiting",
            new Whole(0, 65_536),
            "256",
            "turns",
            "Conversations that wait for their place; the next one is refused with 429. Their bodies are in memory.",
            Set.of());
    static final Entry TURNS_WAITING_PER_OWNER = new Entry(
            "RECALLGATE_TURNS_WAITING_PER_OWNER",
            "conversation.turns-waiting-per-owner",
            new Whole(0, 65_536),
            "192",
            "turns",
            "Of one owner; the rest stays for others.",
            Set.of());
    static final Entry TURNS_WAITING_PER_SESSION = new Entry(
            "RECALLGATE_TURNS_WAITING_PER_SESSION",
            "conversation.turns-waiting-per-session",
            new Whole(0, 65_536),
            "16",
            "turns",
            "Of one session: more in a row is a client that does not wait for answers.",
            Set.of());
    static final Entry TURNS_WAIT_MS = new Entry(
            "RECALLGATE_TURNS_WAIT_MS",
            "conversation.turns-wait-ms",
            new Whole(0, 86_400_000),
            "30000",
            "ms",
            "How long a conversation waits for its place; then it is refused with 429, for its client to try again.",
            Set.of());

    static final Entry CAPTURE_FILES = new Entry(
            "RECALLGATE_CAPTURE_FILES",
            "conversation.capture-files",
            new Whole(0, 100),
            "8",
            "files",
            "Recordings (JFR) of turns whose phases overran that are kept, one in four minutes at most, some megabytes each, without texts; 0 records nothing.",
            Set.of());
    static final Entry CAPTURE_DIR = new Entry(
            "RECALLGATE_CAPTURE_DIR",
            "conversation.capture-dir",
            new Text("a directory that can be written"),
            null,
            "path",
            "Where they are kept. Unset: captures in the data directory.",
            Set.of());

    private ConversationSettings() {}

    /** @throws ConfigException naming the setting that does not fit */
    static RecallgateConfig.Conversation of(SettingValues values) {
        return new RecallgateConfig.Conversation(
                new AdmissionLimits(
                        values.whole(Setting.TURNS_ACTIVE),
                        values.whole(Setting.TURNS_ACTIVE_PER_OWNER),
                        values.whole(Setting.TURNS_ACTIVE_PER_SESSION),
                        values.whole(Setting.TURNS_WAITING),
                        values.whole(Setting.TURNS_WAITING_PER_OWNER),
                        values.whole(Setting.TURNS_WAITING_PER_SESSION),
                        values.number(Setting.TURNS_WAIT_MS)),
                new UpstreamOptions(
                        values.required(Setting.UPSTREAM).equals("demo"),
                        base(values, Setting.UPSTREAM_OPENAI_URL),
                        base(values, Setting.UPSTREAM_ANTHROPIC_URL),
                        values.number(Setting.UPSTREAM_CONNECT_TIMEOUT_MS),
                        values.number(Setting.UPSTREAM_FIRST_BYTE_TIMEOUT_MS),
                        values.number(Setting.UPSTREAM_SILENCE_TIMEOUT_MS)),
                PreparationSettings.of(values));
    }

    private static URI base(SettingValues values, Setting setting) {
        URI base = URI.create(values.required(setting));
        if (base.getRawUserInfo() != null || base.getRawQuery() != null || base.getRawFragment() != null) {
            // Not its value: what does not belong there may be a password.
            throw new ConfigException(
                    setting.environment()
                            + ": allowed is a base URL without user, query and fragment; clients send their key with each request");
        }
        return base;
    }
}
