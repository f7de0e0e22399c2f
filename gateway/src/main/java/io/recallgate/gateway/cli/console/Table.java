package io.recallgate.gateway.cli.console;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of short texts: columns as wide as their widest cell, two spaces between them, and one elastic column that
 * takes what is left of the line and is cut with {@code …} where that is not enough. Widths are terminal cells, so
 * Chinese and Japanese line up too.
 */
public final class Table {

    /** Below this many cells an elastic column says nothing any more, so the line may become longer instead. */
    private static final int MIN_ELASTIC_CELLS = 16;

    private static final String GAP = "  ";

    private final List<Column> columns;
    private final List<List<String>> rows = new ArrayList<>();

    private Table(List<Column> columns) {
        this.columns = List.copyOf(columns);
    }

    /**
     * How one column is laid out.
     *
     * @param title its heading
     * @param layout how its cells are placed
     */
    public record Column(String title, Layout layout) {}

    /** Where a cell's text stands. */
    public enum Layout {
        /** At the left, as wide as the widest. */
        LEFT,
        /** At the right, as wide as the widest: numbers. */
        RIGHT,
        /** At the left, as wide as the line has room; at most one column of a table. */
        ELASTIC
    }

    /** A column of text. */
    public static Column left(String title) {
        return new Column(title, Layout.LEFT);
    }

    /** A column of numbers. */
    public static Column right(String title) {
        return new Column(title, Layout.RIGHT);
    }

    /** The column that takes the rest of the line. */
    public static Column elastic(String title) {
        return new Column(title, Layout.ELASTIC);
    }

    /** An empty table. */
    public static Table of(Column... columns) {
        return new Table(List.of(columns));
    }

    /**
     * Adds a row. Line breaks and other control characters become spaces: a stored text must not draw on the terminal.
     *
     * @param cells one text for each column
     */
    public Table row(String... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(
                    "a row of " + cells.length + " cells for " + columns.size() + " columns");
        }
        List<String> row = new ArrayList<>(cells.length);
        for (String cell : cells) {
            row.add(printable(cell));
        }
        rows.add(row);
        return this;
    }

    /** Whether no row was added. */
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Prints heading and rows. */
    public void print(Screen screen) {
        int[] widths = widths(screen.columns());
        List<String> titles = columns.stream().map(Column::title).toList();
        screen.out().println(screen.bold(line(titles, widths)));
        for (List<String> row : rows) {
            screen.out().println(line(row, widths));
        }
    }

    private int[] widths(int lineCells) {
        int[] widths = new int[columns.size()];
        int fixed = GAP.length() * (columns.size() - 1);
        int elastic = -1;
        for (int i = 0; i < widths.length; i++) {
            widths[i] = DisplayWidth.of(columns.get(i).title());
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], DisplayWidth.of(row.get(i)));
            }
            if (columns.get(i).layout() == Layout.ELASTIC) {
                elastic = i;
            } else {
                fixed += widths[i];
            }
        }
        if (elastic >= 0) {
            widths[elastic] = Math.min(widths[elastic], Math.max(MIN_ELASTIC_CELLS, lineCells - fixed));
        }
        return widths;
    }

    private String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = DisplayWidth.truncate(cells.get(i), widths[i]);
            line.append(i == 0 ? "" : GAP);
            line.append(
                    columns.get(i).layout() == Layout.RIGHT
                            ? DisplayWidth.padLeft(cell, widths[i])
                            : DisplayWidth.padRight(cell, widths[i]));
        }
        return line.toString().stripTrailing();
    }

    private static String printable(String cell) {
        StringBuilder text = new StringBuilder(Math.min(cell.length(), 4_096));
        cell.codePoints()
                // A line shows far fewer; a memory may be 1 MiB.
                .limit(4_096)
                .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
                .forEach(text::appendCodePoint);
        return text.toString();
    }
}
