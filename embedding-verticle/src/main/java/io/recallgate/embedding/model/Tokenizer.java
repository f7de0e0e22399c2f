package io.recallgate.embedding.model;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * Text to token ids. Cuts the text before the tokenizer sees it, since tokenising is linear in the whole text, cannot
 * be stopped, and cuts only afterwards: a megabyte costs a second.
 */
final class Tokenizer implements AutoCloseable {

    /** 32 KiB of UTF-8: more than 512 tokens of any language, and some 5 ms to tokenise. */
    static final int MAX_TEXT_BYTES = 32 * 1024;

    private final HuggingFaceTokenizer tokenizer;
    private final ModelDescriptor descriptor;
    /** Special tokens before and after a text, found by looking at what the tokenizer does. */
    private final long[] head;

    private final long[] tail;

    private Tokenizer(HuggingFaceTokenizer tokenizer, ModelDescriptor descriptor) {
        this.tokenizer = tokenizer;
        this.descriptor = descriptor;
        long[] bare = tokenizer.encode("a", false, false).getIds();
        long[] framed = tokenizer.encode("a", true, false).getIds();
        int at = indexOf(framed, bare);
        this.head = Arrays.copyOfRange(framed, 0, at);
        this.tail = Arrays.copyOfRange(framed, at + bare.length, framed.length);
    }

    /**
     * Opens a tokenizer; blocks, the first time for most of a second.
     *
     * @throws FailureException {@code model-unusable} if the file is not a tokenizer
     */
    static Tokenizer open(Path file, ModelDescriptor descriptor) {
        Map<String, String> options = Map.of(
                "padding",
                "false",
                "truncation",
                "true",
                "maxLength",
                Integer.toString(descriptor.maxTokens()),
                "modelMaxLength",
                Integer.toString(descriptor.maxTokens()));
        try (InputStream in = Files.newInputStream(file)) {
            return new Tokenizer(HuggingFaceTokenizer.newInstance(in, options), descriptor);
        } catch (IOException | RuntimeException e) {
            throw new FailureException(
                            FailureCode.MODEL_UNUSABLE,
                            file + " cannot be loaded as a tokenizer: copy it again from where the model came from")
                    .causedBy(e);
        }
    }

    TokenizedRow tokenize(EmbedInput input, InputType type) {
        if (input instanceof EmbedInput.Tokens tokens) {
            return frame(tokens.ids());
        }
        String text = ((EmbedInput.Text) input).text();
        String cut = cutToBytes(text, MAX_TEXT_BYTES);
        String prefix = type == InputType.QUERY ? descriptor.queryPrefix() : descriptor.documentPrefix();
        Encoding encoding = tokenizer.encode(prefix + cut, true, false);
        return new TokenizedRow(encoding.getIds(), cut.length() < text.length() || encoding.exceedMaxLength());
    }

    private TokenizedRow frame(int[] ids) {
        int room = descriptor.maxTokens() - head.length - tail.length;
        int taken = Math.min(ids.length, room);
        long[] framed = Arrays.copyOf(head, head.length + taken + tail.length);
        for (int i = 0; i < taken; i++) {
            if (ids[i] < 0 || ids[i] >= descriptor.vocabularySize()) {
                throw FailureException.ofField(
                        FailureCode.INVALID_FIELD,
                        "input",
                        "token id " + ids[i] + " is not in the vocabulary of " + descriptor.name()
                                + ": give ids from 0 to " + (descriptor.vocabularySize() - 1));
            }
            framed[head.length + i] = ids[i];
        }
        System.arraycopy(tail, 0, framed, head.length + taken, tail.length);
        return new TokenizedRow(framed, taken < ids.length);
    }

    /** The longest prefix of at most {@code maxBytes} bytes of UTF-8 that ends between code points. */
    static String cutToBytes(String text, int maxBytes) {
        if (text.length() * 3L <= maxBytes) {
            return text;
        }
        int bytes = 0;
        int at = 0;
        while (at < text.length()) {
            int codePoint = text.codePointAt(at);
            bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
            if (bytes > maxBytes) {
                return text.substring(0, at);
            }
            at += Character.charCount(codePoint);
        }
        return text;
    }

    private static int indexOf(long[] framed, long[] bare) {
        for (int at = 0; at + bare.length <= framed.length; at++) {
            if (Arrays.equals(framed, at, at + bare.length, bare, 0, bare.length)) {
                return at;
            }
        }
        throw new IllegalArgumentException("special tokens do not frame the text");
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
