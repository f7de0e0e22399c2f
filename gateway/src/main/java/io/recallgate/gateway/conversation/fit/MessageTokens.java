package io.recallgate.gateway.conversation.fit;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

/**
 * Counts what a message's JSON says to a model: its texts, a tool's arguments with their names, and pictures and files at a
 * fixed price. What only gives it its form is left out; what the provider makes of the form is a few tokens a message and a
 * block. Used for one value.
 */
final class MessageTokens {

    /** Around a message. OpenAI documents 3, and 1 for a name. */
    static final int PER_MESSAGE = 4;
    /** Around a block, a call or a result. */
    private static final int PER_BLOCK = 4;
    /**
     * A picture. Anthropic makes at most 1,568 tokens of one (4,784 with the newest models, for pictures of 2,576 pixels), and
     * OpenAI at most 1,445 of the sizes that clients send.
     */
    static final int MEDIA = 1_600;
    /** A block with a picture has no fewer bytes: its type and an address. */
    static final int LEAST_MEDIA_BYTES = 40;
    /** Bytes of a file in base64 for each token: a page of text is some 30 KB and 2,000 tokens. */
    private static final int FILE_BYTES_PER_TOKEN = 16;

    private static final int MEDIA_PROBE_CHARS = 256;
    private static final String PDF_IN_BASE64 = "JVBERi";

    /** Names and the values of names that only say what kind of thing this is. */
    private static final Set<String> FORM_ONLY =
            Set.of("role", "type", "cache_control", "media_type", "detail", "signature");

    private static final Set<String> FORM_NAMES = Set.of(
            "content",
            "text",
            "id",
            "tool_use_id",
            "tool_calls",
            "tool_call_id",
            "function",
            "name",
            "arguments",
            "input",
            "source",
            "image_url",
            "data",
            "url",
            "is_error",
            "thinking");

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(com.fasterxml.jackson.core.StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final Tokenizer tokenizer;
    private Count sum = Count.NONE;

    private MessageTokens(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** Counts one JSON value, such as a message. */
    static Count of(Tokenizer tokenizer, byte[] bytes, int start, int length) {
        MessageTokens count = new MessageTokens(tokenizer);
        try (JsonParser parser = FACTORY.createParser(bytes, start, length)) {
            parser.nextToken();
            count.value(parser, "", "");
        } catch (IOException e) {
            throw new UncheckedIOException("bytes that were JSON before are none now", e);
        }
        return count.sum.plus(new Count(PER_MESSAGE, true));
    }

    private void value(JsonParser parser, String name, String parent) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                add(PER_BLOCK);
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    member(parser, name);
                }
            }
            case START_ARRAY -> {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    value(parser, name, parent);
                }
            }
            case VALUE_STRING -> string(parser, name, parent);
            case VALUE_NULL -> {}
            default -> text(parser.getText());
        }
    }

    private void member(JsonParser parser, String parent) throws IOException {
        String name = parser.currentName();
        parser.nextToken();
        if (FORM_ONLY.contains(name)) {
            parser.skipChildren();
        } else if (name.equals("input")) {
            free(parser);
        } else {
            if (!FORM_NAMES.contains(name)) {
                text(name);
            }
            value(parser, name, parent);
        }
    }

    /** A tool's own arguments: every name and every value counts, whatever it is called. */
    private void free(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    add(2);
                    text(parser.currentName());
                    parser.nextToken();
                    free(parser);
                }
            }
            case START_ARRAY -> {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    add(1);
                    free(parser);
                }
            }
            default -> text(parser.getText());
        }
    }

    private void string(JsonParser parser, String name, String parent) throws IOException {
        String text = parser.getText();
        boolean data = (name.equals("data") || name.equals("file_data")) && isBase64(text);
        boolean inPlace = text.startsWith("data:");
        boolean picture = name.equals("image_url")
                || (name.equals("url") && (parent.equals("image_url") || parent.equals("source")));
        if (data || inPlace || picture) {
            add(media(text));
        } else {
            text(text);
        }
    }

    /** Only the beginning is looked at: a long text in base64 has no space there, and no text goes on for so long without. */
    private static boolean isBase64(String text) {
        return text.length() > MEDIA_PROBE_CHARS
                && text.chars()
                        .limit(MEDIA_PROBE_CHARS)
                        .allMatch(c -> (c < 0x80 && Character.isLetterOrDigit(c)) || c == '+' || c == '/' || c == '=');
    }

    private static int media(String text) {
        boolean pdf = text.startsWith(PDF_IN_BASE64) || text.startsWith("data:application/pdf");
        return pdf ? Math.max(MEDIA, text.length() / FILE_BYTES_PER_TOKEN) : MEDIA;
    }

    private void text(String text) {
        sum = sum.plus(tokenizer.count(text));
    }

    private void add(int tokens) {
        sum = sum.plus(new Count(tokens, true));
    }
}
