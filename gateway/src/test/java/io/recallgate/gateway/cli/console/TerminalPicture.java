package io.recallgate.gateway.cli.console;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a person sees: understands line ends, return, and erasing to the end of the line. */
final class TerminalPicture extends ByteArrayOutputStream {

    private static final String ERASE = "\u001b[K";

    /** The rows so far, the one with the cursor last. */
    synchronized List<String> rows() {
        List<String> rows = new ArrayList<>();
        StringBuilder row = new StringBuilder();
        int column = 0;
        String bytes = toString(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length(); i++) {
            char c = bytes.charAt(i);
            if (bytes.startsWith(ERASE, i)) {
                row.setLength(Math.min(column, row.length()));
                i += ERASE.length() - 1;
            } else if (c == '\r') {
                column = 0;
            } else if (c == '\n') {
                rows.add(row.toString());
                row.setLength(0);
                column = 0;
            } else {
                row.replace(column, Math.min(column + 1, row.length()), String.valueOf(c));
                column++;
            }
        }
        rows.add(row.toString());
        return rows;
    }
}
