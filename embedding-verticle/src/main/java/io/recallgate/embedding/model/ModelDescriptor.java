package io.recallgate.embedding.model;

import io.recallgate.failure.FailureCode;
import io.recallgate.failure.FailureException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * A model's {@code recallgate-model.yaml}: how text becomes its input and how its output becomes a vector.
 *
 * @param name what users call it, 1 to 100 letters, digits, dots, hyphens and underscores
 * @param dimensions of the model's output, 1 to 8,192
 * @param maxTokens its window in tokens, special tokens and prefix included, 8 to 8,192
 * @param vocabularySize token ids are below this
 * @param pooling how the token states become one vector
 * @param normalise whether the vector is scaled to unit length
 * @param queryPrefix put before each query
 * @param documentPrefix put before each document
 * @param inputs names of the graph's inputs
 * @param output name of the graph's output, token states of shape rows × tokens × dimensions
 * @param checksums file name to hex SHA-256, both model files
 * @param licence for people
 */
public record ModelDescriptor(
        String name,
        int dimensions,
        int maxTokens,
        int vocabularySize,
        Pooling pooling,
        boolean normalise,
        String queryPrefix,
        String documentPrefix,
        Inputs inputs,
        String output,
        Map<String, String> checksums,
        String licence) {

    /** Name of the descriptor in a model's directory. */
    public static final String FILE = "recallgate-model.yaml";

    /** Name of the graph in a model's directory. */
    public static final String MODEL_FILE = "model.onnx";

    /** Name of the tokenizer in a model's directory. */
    public static final String TOKENIZER_FILE = "tokenizer.json";

    private static final int MAX_DESCRIPTOR_CHARS = 64 * 1024;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");
    private static final Set<String> KEYS = Set.of(
            "name",
            "dimensions",
            "max_tokens",
            "vocabulary_size",
            "pooling",
            "normalise",
            "query_prefix",
            "document_prefix",
            "inputs",
            "output",
            "checksums",
            "licence");

    /** How the states of all tokens become one vector. */
    public enum Pooling {
        /** The mean over the tokens of the text, padding left out. */
        MEAN,
        /** The state of the first token. */
        CLS
    }

    /**
     * Names of the graph's inputs, each int64 of shape rows × tokens.
     *
     * @param ids token ids
     * @param mask one for a token, zero for padding
     * @param types token type ids, null when the graph has no such input
     */
    public record Inputs(String ids, String mask, @Nullable String types) {}

    /** Copies the checksums. */
    public ModelDescriptor {
        checksums = Map.copyOf(checksums);
    }

    /**
     * Reads a descriptor strictly: unknown and missing keys are refused, like values out of range.
     *
     * @param source the file's name for the message
     * @throws FailureException {@code model-unusable}, naming the file and the key
     */
    public static ModelDescriptor parse(String yaml, String source) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        options.setMaxAliasesForCollections(0);
        options.setCodePointLimit(MAX_DESCRIPTOR_CHARS);
        Object root;
        try {
            root = new Yaml(new SafeConstructor(options)).load(yaml);
        } catch (YAMLException e) {
            throw unusable(source, "is not valid YAML; write it as the bundled models' descriptors")
                    .causedBy(e);
        }
        Fields fields = Fields.of(source, "", root, KEYS);
        Fields inputs = Fields.of(source, "inputs.", fields.required("inputs"), Set.of("ids", "mask", "types"));
        Fields sums = Fields.of(source, "checksums.", fields.required("checksums"), Set.of(MODEL_FILE, TOKENIZER_FILE));
        return new ModelDescriptor(
                fields.matching("name", NAME, "letters, digits, dots, hyphens and underscores"),
                fields.number("dimensions", 1, 8_192),
                fields.number("max_tokens", 8, 8_192),
                fields.number("vocabulary_size", 1, 10_000_000),
                fields.pooling("pooling"),
                fields.flag("normalise"),
                fields.text("query_prefix"),
                fields.text("document_prefix"),
                new Inputs(
                        inputs.text("ids"),
                        inputs.text("mask"),
                        inputs.values.containsKey("types") ? inputs.text("types") : null),
                fields.text("output"),
                Map.of(
                        MODEL_FILE, sums.matching(MODEL_FILE, SHA_256, "64 hexadecimal digits in lower case"),
                        TOKENIZER_FILE, sums.matching(TOKENIZER_FILE, SHA_256, "64 hexadecimal digits in lower case")),
                fields.text("licence"));
    }

    /** The fields that change vectors, in a fixed order, for the fingerprint: not the name, not the licence. */
    String vectorFields() {
        StringBuilder text = new StringBuilder(256);
        new TreeMap<>(checksums).forEach((file, sum) -> line(text, file, sum));
        line(text, "dimensions", Integer.toString(dimensions));
        line(text, "max_tokens", Integer.toString(maxTokens));
        line(text, "pooling", pooling.name());
        line(text, "normalise", Boolean.toString(normalise));
        line(text, "query_prefix", queryPrefix);
        line(text, "document_prefix", documentPrefix);
        line(text, "output", output);
        return text.toString();
    }

    private static void line(StringBuilder text, String key, String value) {
        text.append(key)
                .append('=')
                .append(value.length())
                .append(':')
                .append(value)
                .append('\n');
    }

    private static FailureException unusable(String source, String what) {
        return new FailureException(FailureCode.MODEL_UNUSABLE, source + " " + what);
    }

    /** One mapping of the file, read field by field. */
    private record Fields(String source, String path, Map<String, Object> values) {

        static Fields of(String source, String path, @Nullable Object node, Set<String> known) {
            if (!(node instanceof Map<?, ?> map)) {
                throw unusable(source, "must be a mapping" + (path.isEmpty() ? "" : " at " + path));
            }
            Map<String, Object> values = new LinkedHashMap<>();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                String key = String.valueOf(entry.getKey());
                if (!known.contains(key)) {
                    throw unusable(
                            source,
                            "has the unknown key " + path + key + "; known are "
                                    + String.join(", ", new TreeSet<>(known)));
                }
                if (entry.getValue() != null) {
                    values.put(key, entry.getValue());
                }
            }
            return new Fields(source, path, values);
        }

        Object required(String key) {
            Object value = values.get(key);
            if (value == null) {
                throw unusable(source, "lacks " + path + key);
            }
            return value;
        }

        String text(String key) {
            if (required(key) instanceof String text) {
                return text;
            }
            throw unusable(source, "wants a string for " + path + key);
        }

        String matching(String key, Pattern pattern, String allowed) {
            String text = text(key);
            if (!pattern.matcher(text).matches()) {
                throw unusable(source, "wants " + allowed + " for " + path + key);
            }
            return text;
        }

        int number(String key, int min, int max) {
            if (required(key) instanceof Integer number && number >= min && number <= max) {
                return number;
            }
            throw unusable(source, "wants a number from " + min + " to " + max + " for " + path + key);
        }

        boolean flag(String key) {
            if (required(key) instanceof Boolean flag) {
                return flag;
            }
            throw unusable(source, "wants true or false for " + path + key);
        }

        Pooling pooling(String key) {
            for (Pooling pooling : Pooling.values()) {
                if (pooling.name().toLowerCase(Locale.ROOT).equals(text(key))) {
                    return pooling;
                }
            }
            throw unusable(source, "wants mean or cls for " + path + key);
        }
    }
}
