package io.recallgate.gateway.conversation.fit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The windows of models by their names: a list that comes along ({@code model-windows.txt}), and before it what an operator
 * set. A model that nobody named has none, and nothing is cut for it. Immutable.
 */
public final class ContextWindows {

    /** Fewer tokens are a slip of the finger. */
    private static final int MIN_TOKENS = 1_024;

    private static final int MAX_TOKENS = 100_000_000;
    /** Kept for the answer of a model that an operator named: the smaller of this and a quarter. */
    private static final int DEFAULT_RESERVE = 8_192;

    private final Map<String, ContextWindow> set;
    private final Map<String, ContextWindow> known;

    private ContextWindows(Map<String, ContextWindow> set, Map<String, ContextWindow> known) {
        this.set = set;
        this.known = known;
    }

    /**
     * The windows with an operator's own.
     *
     * @param overrides {@code MODEL=TOKENS,…}, empty for none; a model ends with {@code *} to mean all that begin so
     * @throws IllegalArgumentException naming the part that is wrong, and what is allowed
     */
    public static ContextWindows of(String overrides) {
        Map<String, ContextWindow> set = new LinkedHashMap<>();
        for (String part : overrides.isBlank() ? new String[0] : overrides.split(",", -1)) {
            int equals = part.lastIndexOf('=');
            String model = equals < 0 ? "" : part.substring(0, equals).strip().toLowerCase(Locale.ROOT);
            if (model.isEmpty() || model.substring(0, model.length() - 1).contains("*")) {
                throw wrong(part, "must be MODEL=TOKENS, with a * at most at the end of MODEL");
            }
            int tokens = tokens(part, part.substring(equals + 1).strip());
            if (set.put(model, new ContextWindow(tokens, Math.min(DEFAULT_RESERVE, tokens / 4), tokens)) != null) {
                throw wrong(part, "names a model that was named before");
            }
        }
        return new ContextWindows(set, shipped());
    }

    private static int tokens(String part, String digits) {
        try {
            int tokens = Integer.parseInt(digits);
            if (tokens >= MIN_TOKENS && tokens <= MAX_TOKENS) {
                return tokens;
            }
        } catch (NumberFormatException e) {
            throw (IllegalArgumentException)
                    wrong(part, "must end with a whole number of tokens").initCause(e);
        }
        throw wrong(part, "must have from " + MIN_TOKENS + " to " + MAX_TOKENS + " tokens");
    }

    private static IllegalArgumentException wrong(String part, String why) {
        return new IllegalArgumentException("'" + part.strip() + "' " + why);
    }

    private static Map<String, ContextWindow> shipped() {
        Map<String, ContextWindow> known = new LinkedHashMap<>();
        for (String line : lines()) {
            String[] columns = line.split(" +", -1);
            int context = Integer.parseInt(columns[1]);
            int input = columns.length > 3 ? Integer.parseInt(columns[3]) : context;
            known.put(columns[0], new ContextWindow(context, Integer.parseInt(columns[2]), input));
        }
        return known;
    }

    private static List<String> lines() {
        try (InputStream in = Objects.requireNonNull(ContextWindows.class.getResourceAsStream("model-windows.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the list of models does not come along", e);
        }
    }

    /** The window of a model, empty for one that is not known. Of several patterns the longest counts. */
    public Optional<ContextWindow> find(String model) {
        String name = model.strip().toLowerCase(Locale.ROOT);
        List<String> names = new ArrayList<>(List.of(name));
        names.add(bare(name));
        for (Map<String, ContextWindow> windows : List.of(set, known)) {
            for (String candidate : names) {
                Optional<ContextWindow> found = longest(windows, candidate);
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<ContextWindow> longest(Map<String, ContextWindow> windows, String name) {
        String best = "";
        for (String pattern : windows.keySet()) {
            boolean prefix = pattern.endsWith("*");
            boolean matches =
                    prefix ? name.startsWith(pattern.substring(0, pattern.length() - 1)) : name.equals(pattern);
            if (matches && (!prefix || pattern.length() > best.length())) {
                best = pattern;
                if (!prefix) {
                    break;
                }
            }
        }
        return Optional.ofNullable(windows.get(best));
    }

    /** A model's name without the provider and region before it: {@code openai/gpt-4o}, {@code eu.anthropic.claude-…}. */
    static String bare(String model) {
        String name = model.substring(model.lastIndexOf('/') + 1);
        int vendor = name.indexOf("anthropic.");
        return vendor < 0 ? name : name.substring(vendor + "anthropic.".length());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ContextWindows windows && windows.set.equals(set);
    }

    @Override
    public int hashCode() {
        return set.hashCode();
    }
}
