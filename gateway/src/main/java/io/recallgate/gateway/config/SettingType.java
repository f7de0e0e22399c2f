package io.recallgate.gateway.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
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
