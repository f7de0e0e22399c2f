package io.recallgate.gateway.http.pipeline;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import io.recallgate.recall.json.TextRules;
import io.vertx.core.MultiMap;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks of query parameters and of the headers that every route knows. */
public final class Parameters {

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,12}");
    private static final int MAX_NAME_LENGTH = 200;
    private static final String DEADLINE = "x-recallgate-deadline-ms";

    private Parameters() {}

    /** Known parameters only, each once and valid text; and the caller's own deadline. */
    static void check(Exchange exchange) {
        if (!exchange.endpoint().relays()) {
            checkQuery(exchange);
        }
        exchange.header(DEADLINE).ifPresent(text -> exchange.shorten(whole(DEADLINE, text, 1, 999_999_999_999L)));
    }

    private static void checkQuery(Exchange exchange) {
        MultiMap query = queryOf(exchange);
        Set<String> known = exchange.endpoint().query();
        for (String name : query.names()) {
            TextRules.requireClean("a query parameter's name", name);
            if (!known.contains(name)) {
                throw FailureException.ofField(
                        FailureCode.UNKNOWN_FIELD,
                        name,
                        "this route does not know the parameter; it knows " + (known.isEmpty() ? "none" : known));
            }
            if (query.getAll(name).size() > 1) {
                throw FailureException.ofField(FailureCode.INVALID_FIELD, name, name + " is given twice");
            }
            TextRules.requireClean(name, query.get(name));
        }
    }

    private static MultiMap queryOf(Exchange exchange) {
        try {
            return exchange.routing().queryParams();
        } catch (RuntimeException e) {
            // Vert.x throws for a bad percent escape.
            throw new FailureException(FailureCode.INVALID_FIELD, "the query string is not valid percent-encoding")
                    .causedBy(e);
        }
    }

    /**
     * A session's name.
     *
     * @throws FailureException {@code invalid-field}
     */
    public static String session(String text) {
        if (text.isEmpty() || text.length() > MAX_NAME_LENGTH) {
            throw invalid("session", "session must have 1 to " + MAX_NAME_LENGTH + " characters");
        }
        return text;
    }

    /** {@code invalid-field} about a parameter. */
    public static FailureException invalid(String name, String detail) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, name, detail);
    }

    /**
     * A whole number.
     *
     * @param name of the parameter, for the error
     * @throws FailureException {@code invalid-field} naming it
     */
    public static long whole(String name, String text, long least, long most) {
        if (DIGITS.matcher(text).matches()) {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        }
        throw FailureException.ofField(
                FailureCode.INVALID_FIELD, name, name + " must be a whole number from " + least + " to " + most);
    }

    /**
     * One of the constants of {@code type}, in lower case on the wire.
     *
     * @throws FailureException {@code invalid-field} naming the parameter and what is allowed
     */
    public static <E extends Enum<E>> E oneOf(String name, String text, Class<E> type) {
        StringBuilder allowed = new StringBuilder();
        for (E constant : type.getEnumConstants()) {
            String wire = constant.name().toLowerCase(Locale.ROOT);
            if (wire.equals(text)) {
                return constant;
            }
            allowed.append(allowed.isEmpty() ? "" : ", ").append(wire);
        }
        throw FailureException.ofField(FailureCode.INVALID_FIELD, name, name + " must be one of " + allowed);
    }
}
