package io.recallgate.gateway.conversation.transcript;

import com.fasterxml.jackson.core.JsonToken;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads one message after the other: what it is, and what it adds to the chain. Fields and blocks that it does not know only
 * go into the chain.
 */
final class MessageReader {

    /** A tool's text of so many bytes in JSON is worth shortening; what is left of one is a third of that. */
    static final int LONG_OUTPUT_BYTES = 6_144;

    /** More ids than any real request has; bounds what they take beside the body. */
    private static final int MAX_TOOL_IDS = 100_000;

    private static final byte[] TEXT_TYPE = {'t', 'e', 'x', 't'};

    private final BodyParser parser;
    private final ChainDigest chain;
    private final Supplier<String> place = this::place;
    private final ChainedValues values;
    private final Set<String> seen = new HashSet<>();
    private int toolIds;

    private int index;
    private String field = "";
    private @Nullable String role;
    private @Nullable String name;
    private ContentForm form = ContentForm.ABSENT;
    private Span content = new Span(0, 0);
    private boolean said;
    private List<String> calls = List.of();
    private List<String> results = List.of();
    private List<Span> texts = List.of();
    private List<Span> outputs = List.of();

    MessageReader(BodyParser parser, ChainDigest chain) {
        this.parser = parser;
        this.chain = chain;
        this.values = new ChainedValues(parser, chain, place);
    }

    /**
     * Reads the message whose first token the parser has just read. Its chain is begun and not ended.
     *
     * @param position in {@code messages}
     * @throws FailureException {@code invalid-field}, {@code invalid-json} or {@code invalid-text} naming the field
     */
    Entry read(int position) throws IOException {
        begin(position);
        if (parser.token() != JsonToken.START_OBJECT) {
            throw wrong("messages[" + index + "]", "must be an object");
        }
        int start = parser.start();
        chain.mark('{');
        while (parser.next() != JsonToken.END_OBJECT) {
            field = parser.name();
            parser.next();
            if (field.equals(ChainedValues.CACHE_CONTROL)) {
                parser.skip();
            } else {
                chain.name(field);
                member();
            }
        }
        chain.mark('}');
        Span whole = new Span(start, parser.bracketEnd());
        if (role == null) {
            field = "role";
            throw wrong(place(), "is missing");
        }
        if (role.equals("tool") || role.equals("function")) {
            outputs = texts;
            if (role.equals("function") && name != null) {
                results = added(results, functionId(name));
            }
        }
        boolean userTurn = said && role.equals("user");
        return new Entry(whole, role, name, form, content, calls, results, userTurn, outputs);
    }

    private void begin(int position) {
        index = position;
        seen.clear();
        role = null;
        name = null;
        form = ContentForm.ABSENT;
        content = new Span(0, 0);
        said = false;
        calls = List.of();
        results = List.of();
        texts = List.of();
        outputs = List.of();
        chain.begin();
    }

    private void member() throws IOException {
        switch (field) {
            case "role" -> {
                once();
                if (parser.token() != JsonToken.VALUE_STRING) {
                    throw wrong(place(), "must be a string");
                }
                role = known(parser.string(place));
                values.chain(false);
            }
            case "content" -> {
                once();
                content();
            }
            case "name" -> {
                once();
                name = stringOrNull();
                values.chain(false);
            }
            case "tool_calls" -> {
                once();
                toolCalls();
            }
            case "tool_call_id" -> {
                once();
                String id = stringOrNull();
                if (id != null) {
                    results = added(results, id);
                }
                values.chain(false);
            }
            case "function_call" -> {
                once();
                functionCall();
            }
            default -> values.chain(false);
        }
    }

    private void once() {
        if (!seen.add(field)) {
            throw FailureException.ofField(FailureCode.INVALID_JSON, place(), place() + " is given twice");
        }
    }

    private void content() throws IOException {
        int start = parser.start();
        switch (parser.token()) {
            case VALUE_STRING -> {
                form = ContentForm.STRING;
                said = true;
                texts = longText(texts);
                // A client that marks a text for the cache makes it an array of one block, and a text again a turn
                // later.
                chain.mark('[');
                chain.mark('{');
                chain.name("type");
                chain.bytes('s', TEXT_TYPE, 0, TEXT_TYPE.length);
                chain.name("text");
                parser.digestText(chain, place);
                chain.mark('}');
                chain.mark(']');
                content = new Span(start, parser.scalarEnd());
            }
            case VALUE_NULL -> {
                form = ContentForm.NULL;
                values.chain(false);
                content = new Span(start, start + "null".length());
            }
            case START_ARRAY -> {
                form = ContentForm.ARRAY;
                chain.mark('[');
                for (int block = 0; parser.next() != JsonToken.END_ARRAY; block++) {
                    field = "content[" + block + "]";
                    if (parser.token() == JsonToken.START_OBJECT) {
                        block();
                    } else {
                        said = true;
                        values.chain(false);
                    }
                }
                chain.mark(']');
                content = new Span(start, parser.bracketEnd());
            }
            default -> throw wrong(place(), "must be a string, an array or null");
        }
    }

    /** One block of a content, standing at its brace. */
    private void block() throws IOException {
        String type = null;
        String id = null;
        String answers = null;
        List<Span> found = List.of();
        chain.mark('{');
        while (parser.next() != JsonToken.END_OBJECT) {
            String member = parser.name();
            parser.next();
            if (member.equals(ChainedValues.CACHE_CONTROL)) {
                parser.skip();
                continue;
            }
            chain.name(member);
            switch (member) {
                case "type" -> type = stringAndChain();
                case "id" -> id = stringAndChain();
                case "tool_use_id" -> answers = stringAndChain();
                case "text" -> {
                    texts = longText(texts);
                    values.chain(false);
                }
                case "content" -> found = resultContent(found);
                // A tool's arguments are the tool's own: a field of any name counts.
                case "input" -> values.chain(true);
                default -> values.chain(false);
            }
        }
        chain.mark('}');
        if (answers != null) {
            results = added(results, answers);
            outputs = found.isEmpty() ? outputs : concat(outputs, found);
        } else {
            said = true;
        }
        if (id != null && type != null && type.endsWith("tool_use")) {
            calls = added(calls, id);
        }
    }

    /** What a tool's result has as its content: a text, or blocks with texts. */
    private List<Span> resultContent(List<Span> found) throws IOException {
        List<Span> all = longText(found);
        if (parser.token() != JsonToken.START_ARRAY) {
            values.chain(false);
            return all;
        }
        chain.mark('[');
        while (parser.next() != JsonToken.END_ARRAY) {
            if (parser.token() != JsonToken.START_OBJECT) {
                values.chain(false);
                continue;
            }
            chain.mark('{');
            while (parser.next() != JsonToken.END_OBJECT) {
                String member = parser.name();
                parser.next();
                if (member.equals(ChainedValues.CACHE_CONTROL)) {
                    parser.skip();
                    continue;
                }
                chain.name(member);
                if (member.equals("text")) {
                    all = longText(all);
                }
                values.chain(false);
            }
            chain.mark('}');
        }
        chain.mark(']');
        return all;
    }

    private void toolCalls() throws IOException {
        if (parser.token() != JsonToken.START_ARRAY) {
            values.chain(false);
            return;
        }
        chain.mark('[');
        while (parser.next() != JsonToken.END_ARRAY) {
            String id = member("id");
            if (id != null) {
                calls = added(calls, id);
            }
        }
        chain.mark(']');
    }

    private void functionCall() throws IOException {
        String function = member("name");
        if (function != null) {
            calls = added(calls, functionId(function));
        }
    }

    /** Puts a value into the chain; the text of its field {@code wanted}, null when it has none. */
    private @Nullable String member(String wanted) throws IOException {
        if (parser.token() != JsonToken.START_OBJECT) {
            values.chain(false);
            return null;
        }
        String found = null;
        chain.mark('{');
        while (parser.next() != JsonToken.END_OBJECT) {
            String member = parser.name();
            parser.next();
            if (member.equals(ChainedValues.CACHE_CONTROL)) {
                parser.skip();
                continue;
            }
            chain.name(member);
            if (member.equals(wanted)) {
                found = stringOrNull();
            }
            values.chain(false);
        }
        chain.mark('}');
        return found;
    }

    private @Nullable String stringAndChain() throws IOException {
        String value = stringOrNull();
        values.chain(false);
        return value;
    }

    private @Nullable String stringOrNull() {
        return parser.token() == JsonToken.VALUE_STRING ? parser.string(place) : null;
    }

    private List<Span> longText(List<Span> before) {
        return parser.token() == JsonToken.VALUE_STRING && parser.text().length() >= LONG_OUTPUT_BYTES
                ? concat(before, List.of(parser.text()))
                : before;
    }

    private static <T> List<T> concat(List<T> before, List<T> more) {
        List<T> all = before.isEmpty() ? new ArrayList<>() : before;
        all.addAll(more);
        return all;
    }

    private List<String> added(List<String> before, String id) {
        if (++toolIds > MAX_TOOL_IDS) {
            throw FailureException.ofField(
                    FailureCode.INVALID_FIELD,
                    "messages",
                    "messages has more than " + MAX_TOOL_IDS + " tool calls and results");
        }
        return concat(before, List.of(id));
    }

    /** The old form of calls has no ids: a result belongs to the last call of its function. */
    private static String functionId(String function) {
        return "function " + function;
    }

    /** One object for each role that there is, since ten thousand messages have two. */
    private static String known(String role) {
        return switch (role) {
            case "user" -> "user";
            case "assistant" -> "assistant";
            case "tool" -> "tool";
            case "system" -> "system";
            case "developer" -> "developer";
            default -> role;
        };
    }

    private String place() {
        return "messages[" + index + "]." + field;
    }

    private static FailureException wrong(String place, String why) {
        return FailureException.ofField(FailureCode.INVALID_FIELD, place, place + " " + why);
    }
}
