package io.recallgate.gateway.cli.bench.sessions;

/** Finds where a JSON object ends, by its quotes and braces alone: a checker must not read with what it checks. */
final class JsonEnd {

    private JsonEnd() {}

    /** The place behind the object that begins at {@code from}, -1 if none does or it does not end. */
    static int of(byte[] json, int from) {
        if (from >= json.length || json[from] != '{') {
            return -1;
        }
        int depth = 0;
        boolean quoted = false;
        for (int i = from; i < json.length; i++) {
            byte b = json[i];
            if (quoted) {
                if (b == '\\') {
                    i++;
                } else if (b == '"') {
                    quoted = false;
                }
            } else if (b == '"') {
                quoted = true;
            } else if (b == '{' || b == '[') {
                depth++;
            } else if (b == '}' || b == ']') {
                depth--;
                if (depth == 0) {
                    return i + 1;
                }
            }
        }
        return -1;
    }
}
