package io.recallgate.gateway.conversation.transcript;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.util.function.Supplier;

/** The inside of JSON strings, as bytes. The bytes are valid UTF-8 and valid JSON, or about to be found out as not. */
public final class JsonText {

    private JsonText() {}

    /**
     * Requires what JSON is written in. The parser itself lets overlong forms and surrogates in three bytes pass.
     *
     * @throws FailureException {@code invalid-json}
     */
    static void requireUtf8(byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            int length = bytes[at] >= 0 ? 1 : sequence(bytes, at);
            if (length == 0) {
                throw new FailureException(FailureCode.INVALID_JSON, "the body is not valid UTF-8 at byte " + at);
            }
            at += length;
        }
    }

    /** Bytes of the character that begins here and is none of ASCII, 0 when there is none (RFC 3629, section 4). */
    private static int sequence(byte[] bytes, int at) {
        int first = bytes[at] & 0xFF;
        int length = first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        if (length == 0 || at + length > bytes.length) {
            return 0;
        }
        int second = bytes[at + 1] & 0xFF;
        // No longer form than need be, no surrogates, nothing above U+10FFFF.
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) {
            return 0;
        }
        for (int i = at + 2; i < at + length; i++) {
            if ((bytes[i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /**
     * Where a string ends, and whether it has escapes.
     *
     * @param start after its opening quote
     * @return position of its closing quote; its complement ({@code ~}) when an escape stands before it
     * @throws FailureException {@code invalid-json}, when there is none
     */
    static int closingQuote(byte[] bytes, int start) {
        int at = start;
        boolean escapes = false;
        while (at < bytes.length && bytes[at] != '"') {
            if (bytes[at] == '\\') {
                escapes = true;
                at++;
            }
            at++;
        }
        if (at >= bytes.length) {
            throw new FailureException(FailureCode.INVALID_JSON, "not valid JSON: a string does not end");
        }
        return escapes ? ~at : at;
    }

    /**
     * Bytes that a string takes from {@code at} on for one character: an escape, two escapes that are one character, or the
     * bytes of UTF-8.
     *
     * @param end after the string's last byte
     */
    public static int unit(byte[] bytes, int at, int end) {
        int length;
        if (bytes[at] == '\\') {
            length = bytes[at + 1] != 'u' ? 2 : isEscapedPair(bytes, at, end) ? 12 : 6;
        } else {
            int b = bytes[at] & 0xFF;
            length = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
        }
        return Math.min(length, end - at);
    }

    private static boolean isEscapedPair(byte[] bytes, int at, int end) {
        return at + 12 <= end
                && Character.isHighSurrogate(hex(bytes, at + 2))
                && bytes[at + 6] == '\\'
                && bytes[at + 7] == 'u'
                && Character.isLowSurrogate(hex(bytes, at + 8));
    }

    /**
     * Writes a string's characters as UTF-8. They are never more bytes than their JSON.
     *
     * @param into has room for {@code end - start} bytes
     * @param field asked for a failure only
     * @return bytes written
     * @throws FailureException {@code invalid-text} for NUL and lone surrogates
     */
    static int decode(byte[] bytes, int start, int end, byte[] into, Supplier<String> field) {
        int out = 0;
        int at = start;
        while (at < end) {
            int escape = at;
            while (escape < end && bytes[escape] != '\\') {
                escape++;
            }
            System.arraycopy(bytes, at, into, out, escape - at);
            out += escape - at;
            if (escape == end) {
                break;
            }
            int unit = unit(bytes, escape, end);
            if (unit == 2) {
                into[out++] = plain(bytes[escape + 1]);
            } else {
                out = utf8(codePoint(bytes, escape, unit, field), into, out);
            }
            at = escape + unit;
        }
        return out;
    }

    private static int codePoint(byte[] bytes, int at, int unit, Supplier<String> field) {
        char first = hex(bytes, at + 2);
        if (unit == 12) {
            return Character.toCodePoint(first, hex(bytes, at + 8));
        }
        if (first == 0 || Character.isSurrogate(first)) {
            String place = field.get();
            throw FailureException.ofField(
                    FailureCode.INVALID_TEXT, place, place + " has " + (first == 0 ? "NUL" : "a lone surrogate"));
        }
        return first;
    }

    private static int utf8(int codePoint, byte[] into, int at) {
        int out = at;
        if (codePoint < 0x80) {
            into[out++] = (byte) codePoint;
        } else if (codePoint < 0x800) {
            into[out++] = (byte) (0xC0 | (codePoint >> 6));
            into[out++] = (byte) (0x80 | (codePoint & 0x3F));
        } else if (codePoint < 0x10000) {
            into[out++] = (byte) (0xE0 | (codePoint >> 12));
            into[out++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
            into[out++] = (byte) (0x80 | (codePoint & 0x3F));
        } else {
            into[out++] = (byte) (0xF0 | (codePoint >> 18));
            into[out++] = (byte) (0x80 | ((codePoint >> 12) & 0x3F));
            into[out++] = (byte) (0x80 | ((codePoint >> 6) & 0x3F));
            into[out++] = (byte) (0x80 | (codePoint & 0x3F));
        }
        return out;
    }

    /** What an escape of two bytes stands for; another one the parser refuses before anybody uses this. */
    private static byte plain(byte escaped) {
        return switch (escaped) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> escaped;
        };
    }

    /** Four digits; a letter for what is none, which the parser refuses before anybody uses this. */
    private static char hex(byte[] bytes, int at) {
        int value = 0;
        for (int i = at; i < at + 4; i++) {
            int digit = i < bytes.length ? Character.digit(bytes[i], 16) : -1;
            if (digit < 0) {
                return 'x';
            }
            value = (value << 4) | digit;
        }
        return (char) value;
    }
}
