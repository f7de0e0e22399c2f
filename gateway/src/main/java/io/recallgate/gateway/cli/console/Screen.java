package io.recallgate.gateway.cli.console;

import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Map;
import java.util.Properties;

/**
 * Where a command writes. Results go to {@link #out()}, progress and troubles to {@link #err()}. Used by one thread; the
 * streams may be shared.
 *
 * @param out results
 * @param err progress and troubles
 * @param outIsTerminal whether a person reads the results
 * @param errIsTerminal whether a person watches the progress
 * @param colour whether escape sequences are welcome
 * @param columns cells of a line, at least {@link #MIN_COLUMNS}
 * @param line the line of {@code err} that is rewritten in place, if a person watches
 */
public record Screen(
        PrintStream out,
        PrintStream err,
        boolean outIsTerminal,
        boolean errIsTerminal,
        boolean colour,
        int columns,
        StatusLine line) {

    /** Narrower terminals get lines that wrap: a table would have no room for content. */
    public static final int MIN_COLUMNS = 60;

    /** The width when nobody tells: fits a page of documentation. */
    public static final int DEFAULT_COLUMNS = 110;

    private static final int MAX_COLUMNS = 240;

    /** Keeps the width in its range. */
    public Screen {
        columns = Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns));
    }

    /** One whose streams are written to by nobody else. */
    public Screen(
            PrintStream out,
            PrintStream err,
            boolean outIsTerminal,
            boolean errIsTerminal,
            boolean colour,
            int columns) {
        this(out, err, outIsTerminal, errIsTerminal, colour, columns, new StatusLine(err));
    }

    /**
     * The screen as the launcher script found it ({@code recallgate.terminal.out}, {@code .err} and {@code .columns},
     * since a JVM cannot ask for one stream or for the width). Without the script nothing is a terminal. Where standard
     * error is one, both streams come back guarded: whoever else writes there, such as the log, must write to these.
     *
     * @param environment {@code NO_COLOR} (no-color.org) and {@code TERM=dumb} switch colour off, {@code COLUMNS} gives
     *     the width
     */
    public static Screen detect(PrintStream out, PrintStream err, Properties system, Map<String, String> environment) {
        boolean outIsTerminal = Boolean.parseBoolean(system.getProperty("recallgate.terminal.out"));
        boolean errIsTerminal = Boolean.parseBoolean(system.getProperty("recallgate.terminal.err"));
        boolean colour = outIsTerminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "dumb").equals("dumb");
        int columns = number(
                system.getProperty("recallgate.terminal.columns", environment.getOrDefault("COLUMNS", "")),
                DEFAULT_COLUMNS);
        StatusLine line = new StatusLine(err);
        PrintStream guardedOut =
                outIsTerminal && errIsTerminal ? line.guard(out, charset(system, "stdout.encoding")) : out;
        PrintStream guardedErr = errIsTerminal ? line.guard(err, charset(system, "stderr.encoding")) : err;
        return new Screen(guardedOut, guardedErr, outIsTerminal, errIsTerminal, colour, columns, line);
    }

    /** {@code text} in bold where colour is welcome. */
    public String bold(String text) {
        return colour ? "\u001b[1m" + text + "\u001b[0m" : text;
    }

    /** {@code text} less prominent where colour is welcome. */
    public String faint(String text) {
        return colour ? "\u001b[2m" + text + "\u001b[0m" : text;
    }

    /** Java 17 has the property for terminals only and calls it internal; from 19 on it has a public name. */
    private static Charset charset(Properties system, String property) {
        String name = system.getProperty(property, system.getProperty("sun." + property, ""));
        return name.isEmpty() || !Charset.isSupported(name) ? Charset.defaultCharset() : Charset.forName(name);
    }

    private static int number(String text, int otherwise) {
        return text.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(text) : otherwise;
    }
}
