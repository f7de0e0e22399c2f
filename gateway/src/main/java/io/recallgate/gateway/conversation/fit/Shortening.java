package io.recallgate.gateway.conversation.fit;

import io.recallgate.gateway.conversation.transcript.Entry;
import io.recallgate.gateway.conversation.transcript.JsonText;
import io.recallgate.gateway.conversation.transcript.Span;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The middle of a long output that is left out. It depends on the output alone, so that an output is shortened to the same
 * bytes in every turn.
 *
 * @param cut what is left out, between two characters of a string in the body
 * @param characters how many that are
 */
public record Shortening(Span cut, int characters) {

    /** Kept of the beginning, in bytes of JSON: where a tool says what it did. */
    private static final int HEAD_BYTES = 1_536;
    /** Kept of the end: where it says how it went. */
    private static final int TAIL_BYTES = 512;

    /** What stands in the place of the middle, as it stands between a JSON string's quotes. */
    public String marker() {
        return "\\n[… " + characters + " characters left out by recallgate …]\\n";
    }

    /** The shortenings of a message, in the order of their bytes. */
    static List<Shortening> of(byte[] bytes, Entry entry) {
        return entry.outputs().stream().map(output -> of(bytes, output)).toList();
    }

    private static Shortening of(byte[] bytes, Span output) {
        int at = output.start();
        while (at < output.start() + HEAD_BYTES) {
            at += JsonText.unit(bytes, at, output.end());
        }
        int from = at;
        int characters = 0;
        while (at < output.end() - TAIL_BYTES) {
            at += JsonText.unit(bytes, at, output.end());
            characters++;
        }
        return new Shortening(new Span(from, at), characters);
    }

    /** The message with all its long outputs shortened. */
    static byte[] apply(byte[] bytes, Entry entry) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int at = entry.whole().start();
        for (Shortening shortening : of(bytes, entry)) {
            out.write(bytes, at, shortening.cut().start() - at);
            out.writeBytes(shortening.marker().getBytes(StandardCharsets.UTF_8));
            at = shortening.cut().end();
        }
        out.write(bytes, at, entry.whole().end() - at);
        return out.toByteArray();
    }
}
