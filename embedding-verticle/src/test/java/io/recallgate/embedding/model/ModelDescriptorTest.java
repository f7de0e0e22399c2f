package io.recallgate.embedding.model;

import static io.recallgate.embedding.model.ModelStoreTest.assertUnusable;
import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.model.ModelDescriptor.Pooling;
import org.junit.jupiter.api.Test;

class ModelDescriptorTest {

    private static final String SUM = "0123456789abcdef".repeat(4);
    private static final String GOOD = """
            name: tiny
            dimensions: 4
            max_tokens: 16
            vocabulary_size: 100
            pooling: cls
            normalise: false
            query_prefix: ""
            document_prefix: "d: "
            inputs:
              ids: input_ids
              mask: attention_mask
            output: states
            checksums:
              model.onnx: SUM
              tokenizer.json: SUM
            licence: none
            """.replace("SUM", SUM);

    @Test
    void aWholeDescriptorIsRead() {
        ModelDescriptor descriptor = ModelDescriptor.parse(GOOD, "x.yaml");

        assertThat(descriptor.pooling()).isEqualTo(Pooling.CLS);
        assertThat(descriptor.normalise()).isFalse();
        assertThat(descriptor.documentPrefix()).isEqualTo("d: ");
        assertThat(descriptor.inputs().types()).isNull();
        assertThat(descriptor.checksums()).containsEntry("model.onnx", SUM);
    }

    @Test
    void everyMistakeNamesTheFileAndTheKey() {
        refuse(GOOD + "colour: red\n", "unknown key colour");
        refuse(GOOD.replace("  mask", "  masks"), "unknown key inputs.masks");
        refuse(GOOD.replace("dimensions: 4\n", ""), "lacks dimensions");
        refuse(GOOD.replace("dimensions: 4", "dimensions: four"), "from 1 to 8192 for dimensions");
        refuse(GOOD.replace("max_tokens: 16", "max_tokens: 1"), "for max_tokens");
        refuse(GOOD.replace("pooling: cls", "pooling: max"), "mean or cls for pooling");
        refuse(GOOD.replace("normalise: false", "normalise: 1"), "true or false for normalise");
        refuse(GOOD.replace("name: tiny", "name: ../tiny"), "for name");
        refuse(GOOD.replace("tokenizer.json: " + SUM, "tokenizer.json: abc"), "64 hexadecimal digits");
        refuse(GOOD.replace("licence: none", "licence: [a]"), "wants a string for licence");
        refuse(GOOD + "name: twice\n", "not valid YAML");
        refuse("- a\n", "must be a mapping");
        refuse("name: !!java.net.URL [\"http://localhost\"]\n", "not valid YAML");
    }

    private static void refuse(String yaml, String words) {
        assertUnusable(() -> ModelDescriptor.parse(yaml, "x.yaml"), "x.yaml", words);
    }
}
