package io.recallgate.gateway.config;

import io.recallgate.gateway.conversation.fit.ContextWindows;
import io.recallgate.recall.api.RetentionPolicy;
import io.recallgate.recall.api.Scope;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a setting's value may be. */
public sealed interface SettingType {

    /** What is allowed, to follow "allowed: ". */
    String allowed();

    /** Whether {@code raw} is allowed; never null, may be empty. */
    boolean accepts(String raw);

    /**
     * A whole number.
     *
     * @param min the smallest allowed
     * @param max the largest allowed
     */
    record Whole(long min, long max) implements SettingType {
        @Override
        public String allowed() {
            return "a whole number from " + min + " to " + max;
        }

        @Override
        public boolean accepts(String raw) {
            try {
                long value = Long.parseLong(raw);
                return value >= min && value <= max;
            } catch (NumberFormatException notANumber) {
                return false;
            }
        }
    }

    /** A share: more than 0, up to 1, with at most six digits behind the point. */
    record Fraction() implements SettingType {
        private static final Pattern FORM = Pattern.compile("0\\.[0-9]{1,6}|1(\\.0{1,6})?");

        @Override
        public String allowed() {
            return "a number above 0 and up to 1, such as 0.2";
        }

        @Override
        public boolean accepts(String raw) {
            return FORM.matcher(raw).matches() && Double.parseDouble(raw) > 0;
        }
    }

    /**
     * One of a few words.
     *
     * @param words what is allowed, in lower case
     */
    record Choice(List<String> words) implements SettingType {
        /** Copies the words. */
        public Choice {
            words = List.copyOf(words);
        }

        static Choice of(String... words) {
            return new Choice(List.of(words));
        }

        @Override
        public String allowed() {
            return "one of " + String.join(", ", words);
        }

        @Override
        public boolean accepts(String raw) {
            return words.contains(raw);
        }
    }

    /**
     * Any of a few words, separated by commas; {@code none} for none of them.
     *
     * @param words what is allowed, in lower case
     */
    record Words(List<String> words) implements SettingType {
        private static final String NONE = "none";

        /** Copies the words. */
        public Words {
            words = List.copyOf(words);
        }

        @Override
        public String allowed() {
            return "none, or a list of " + String.join(", ", words) + ", each once";
        }

        @Override
        public boolean accepts(String raw) {
            List<String> given = parse(raw);
            return words.containsAll(given) && Set.copyOf(given).size() == given.size();
        }

        static List<String> parse(String raw) {
            return raw.strip().equals(NONE)
                    ? List.of()
                    : Arrays.stream(raw.split(",", -1)).map(String::strip).toList();
        }
    }

    /**
     * A short text without control characters.
     *
     * @param what it is, for people
     */
    record Text(String what) implements SettingType {
        /** Far more than any host name, path or key needs. */
        private static final int MAX_LENGTH = 4_096;

        @Override
        public String allowed() {
            return what;
        }

        @Override
        public boolean accepts(String raw) {
            return !raw.isBlank() && raw.length() <= MAX_LENGTH && raw.chars().noneMatch(Character::isISOControl);
        }
    }

    /** What is put before a text: white space counts, and a line break is allowed, as instructions to models have one. */
    record Prefix() implements SettingType {
        /** It takes its share of the model's window for each text. */
        private static final int MAX_LENGTH = 1_000;

        @Override
        public String allowed() {
            return "a text of at most " + MAX_LENGTH + " characters";
        }

        @Override
        public boolean accepts(String raw) {
            return !raw.isEmpty()
                    && raw.length() <= MAX_LENGTH
                    && raw.chars().noneMatch(unit -> Character.isISOControl(unit) && unit != '\n' && unit != '\t')
                    && raw.chars().noneMatch(unit -> Character.isSurrogate((char) unit));
        }
    }

    /** Days of projects: {@code OWNER/PROJECT=DAYS}, separated by commas. */
    record ProjectDays() implements SettingType {
        /** Some hundred projects; more are better told apart by owner and kept under the general rule. */
        private static final int MAX_LENGTH = 16_384;

        @Override
        public String allowed() {
            return "a list such as OWNER/PROJECT=30,OWNER/=0, days from 0 to " + RetentionPolicy.MAX_DAYS
                    + ", each project once, with %2C, %2F, %3D and %25 for , / = and %";
        }

        @Override
        public boolean accepts(String raw) {
            try {
                parse(raw);
                return true;
            } catch (IllegalArgumentException wrong) {
                return false;
            }
        }

        /** @throws IllegalArgumentException for anything but such a list */
        static Map<Scope, Integer> parse(String raw) {
            require(raw.length() <= MAX_LENGTH);
            Map<Scope, Integer> days = new HashMap<>();
            for (String rule : raw.split(",", -1)) {
                int slash = rule.indexOf('/');
                int equals = rule.indexOf('=', slash + 1);
                require(slash > 0 && equals > 0 && rule.indexOf('/', slash + 1) < 0);
                String owner = decode(rule.substring(0, slash).strip());
                String project = decode(rule.substring(slash + 1, equals).strip());
                int kept = Integer.parseInt(rule.substring(equals + 1).strip());
                require(!owner.isBlank() && owner.length() <= 200 && project.length() <= 200);
                require(kept >= 0 && kept <= RetentionPolicy.MAX_DAYS);
                require(days.put(new Scope(owner, project), kept) == null);
            }
            return days;
        }

        private static String decode(String text) {
            // Form decoding would make a space of a plus.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        }

        private static void require(boolean holds) {
            if (!holds) {
                throw new IllegalArgumentException("not OWNER/PROJECT=DAYS");
            }
        }
    }

    /** Context windows of models: {@code MODEL=TOKENS}, separated by commas. */
    record Windows() implements SettingType {
        @Override
        public String allowed() {
            return "a list such as my-model=32768,other-*=200000";
        }

        @Override
        public boolean accepts(String raw) {
            try {
                ContextWindows.of(raw);
                return !raw.isBlank();
            } catch (IllegalArgumentException wrong) {
                return false;
            }
        }
    }

    /**
     * A URL with a host.
     *
     * @param schemes allowed ones, in lower case
     */
    record Url(List<String> schemes) implements SettingType {
        /** Copies the schemes. */
        public Url {
            schemes = List.copyOf(schemes);
        }

        static Url of(String... schemes) {
            return new Url(List.of(schemes));
        }

        @Override
        public String allowed() {
            return "a URL such as " + schemes.get(0) + "://host/path";
        }

        @Override
        public boolean accepts(String raw) {
            URI uri = parse(raw);
            return uri != null
                    && uri.getScheme() != null
                    && schemes.contains(uri.getScheme().toLowerCase(Locale.ROOT))
                    && uri.getHost() != null;
        }

        private static @Nullable URI parse(String raw) {
            try {
                return new URI(raw);
            } catch (URISyntaxException notAUrl) {
                return null;
            }
        }
    }
}
