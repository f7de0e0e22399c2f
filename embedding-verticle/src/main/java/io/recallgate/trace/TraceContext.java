package io.recallgate.trace;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in a trace, as W3C Trace Context has it.
 *
 * @param traceId 32 hexadecimal digits, not all zero
 * @param spanId 16 hexadecimal digits, not all zero
 * @param sampled whether the caller records the trace
 * @param state what other vendors keep in {@code tracestate}, passed on as it came; empty for nothing
 */
public record TraceContext(String traceId, String spanId, boolean sampled, String state) {

    /** Name of the header, over HTTP and on the event bus. */
    public static final String TRACEPARENT = "traceparent";

    /** Name of the header, over HTTP and on the event bus. */
    public static final String TRACESTATE = "tracestate";

    /** More than everybody has to pass on. */
    private static final int MAX_STATE_CHARS = 512;

    /** A later version may have more behind the flags. */
    private static final Pattern PARENT =
            Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

    private static final Pattern STATE = Pattern.compile("[\\x20-\\x7e]*");
    private static final Pattern ZEROS = Pattern.compile("0+");

    /** A new trace that nobody records. */
    public static TraceContext fresh() {
        return new TraceContext(digits(32), digits(16), false, "");
    }

    /**
     * What a caller sent.
     *
     * @param traceparents all headers of that name: there has to be one
     * @param tracestates all headers of that name, which belong together
     * @return empty for none, and for one that is not valid
     */
    public static Optional<TraceContext> parse(List<String> traceparents, List<String> tracestates) {
        if (traceparents.size() != 1) {
            return Optional.empty();
        }
        Matcher parts = PARENT.matcher(traceparents.get(0).trim());
        if (!parts.matches()
                || parts.group(1).equals("ff")
                || (parts.group(1).equals("00") && parts.group(5) != null)
                || isZero(parts.group(2))
                || isZero(parts.group(3))) {
            return Optional.empty();
        }
        boolean sampled = (Integer.parseInt(parts.group(4), 16) & 1) == 1;
        String state = String.join(",", tracestates);
        boolean sound =
                state.length() <= MAX_STATE_CHARS && STATE.matcher(state).matches();
        return Optional.of(new TraceContext(parts.group(2), parts.group(3), sampled, sound ? state : ""));
    }

    /** The next step of the same trace. */
    public TraceContext child() {
        return new TraceContext(traceId, digits(16), sampled, state);
    }

    /** The header that tells of it. */
    public String traceparent() {
        return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
    }

    private static boolean isZero(String digits) {
        return ZEROS.matcher(digits).matches();
    }

    private static String digits(int count) {
        StringBuilder digits = new StringBuilder(count);
        while (digits.length() < count) {
            digits.append(String.format(
                    Locale.ROOT, "%016x", ThreadLocalRandom.current().nextLong()));
        }
        String all = digits.substring(0, count);
        return isZero(all) ? digits(count) : all;
    }
}
