package io.recallgate.gateway.conversation.transcript;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.recallgate.gateway.conversation.History;
import io.recallgate.gateway.conversation.Rendering;
import io.recallgate.gateway.conversation.turn.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ChainTest {

    @Property
    void theChainIgnoresMarksForTheCacheWhiteSpaceAndEscapes(
            @ForAll Protocol protocol, @ForAll @IntRange(min = 1, max = 8) int turns, @ForAll long seed) {
        Random random = new Random(seed);
        History history = History.of(protocol, turns, random);
        Transcript plain = Rendering.plain().transcript(history);
        Transcript marked = Rendering.marked(random).transcript(history);
        assertThat(marked.size())
                .isEqualTo(plain.size())
                .isEqualTo(history.messages().size());
        for (int i = 0; i < plain.size(); i++) {
            assertThat(marked.chain(i)).as("message " + i).isEqualTo(plain.chain(i));
            assertThat(marked.text(i)).isEqualTo(plain.text(i));
            assertThat(marked.entry(i).calls()).isEqualTo(plain.entry(i).calls());
            assertThat(marked.entry(i).results()).isEqualTo(plain.entry(i).results());
            assertThat(marked.entry(i).userTurn()).isEqualTo(plain.entry(i).userTurn());
        }
    }

    @Property
    void theChainNoticesAnyOtherChangeFromThereOn(
            @ForAll Protocol protocol, @ForAll @IntRange(min = 1, max = 6) int turns, @ForAll long seed) {
        Random random = new Random(seed);
        History history = History.of(protocol, turns, random);
        Transcript before = Rendering.plain().transcript(history);
        int changed = random.nextInt(before.size());
        change(history.messages().get(changed), random);
        Transcript after = Rendering.odd(random).transcript(history);
        for (int i = 0; i < before.size(); i++) {
            assertThat(after.chain(i).equals(before.chain(i)))
                    .as("message " + i)
                    .isEqualTo(i < changed);
        }
    }

    /** Changes one value or name in a message, anywhere. */
    private static void change(JsonNode node, Random random) {
        List<Runnable> changes = new ArrayList<>();
        collect(node, changes);
        changes.get(random.nextInt(changes.size())).run();
    }

    private static void collect(JsonNode node, List<Runnable> changes) {
        if (node instanceof ObjectNode object) {
            for (String name : object.properties().stream()
                    .map(java.util.Map.Entry::getKey)
                    .toList()) {
                JsonNode value = object.get(name);
                if (value.isTextual()) {
                    changes.add(() -> object.put(name, value.textValue() + "!"));
                } else if (value.isNull()) {
                    changes.add(() -> object.put(name, "was null"));
                }
                // A name that is read must stay one of its kind.
                if (!List.of("role", "content").contains(name)) {
                    changes.add(() -> object.set(name + "_", object.remove(name)));
                }
                collect(value, changes);
            }
        } else if (node instanceof ArrayNode array) {
            changes.add(() -> array.addObject().put("type", "more"));
            array.forEach(element -> collect(element, changes));
        }
    }
}
