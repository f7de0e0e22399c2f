package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.recallgate.embedding.api.EmbedInput;
import io.recallgate.embedding.api.InputType;
import io.recallgate.embedding.api.Priority;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The edges in code are those of the architecture's tables, word for word. */
class StateTablesTest {

    /** The table of the architecture, section 2. */
    private static final String OPERATIONS = """
            | QUEUED | DISPATCHED · CANCELLED · FAILED | sent to a worker · last waiter left · terminal cause, overload, shutdown |
            | DISPATCHED | RUNNING · CANCELLED · QUEUED · FAILED | `started` · acknowledged before start · worker lost before start (once) · dispatch watchdog twice |
            | RUNNING | COMPLETED · FAILED · TERMINATED · EXPIRED | result · error · native termination acknowledged · execution watchdog |
            | RUNNING | QUEUED · CANCELLED | a slice is done and rows remain · and the last waiter has left (finished rows are retained for a retry) |
            | EXPIRED | FAILED | its thread was seen to return; until then its key is **quarantined**: joiners fail at once, nobody runs it again |
            """;

    /** The table of the architecture, section 2. */
    private static final String SLOTS = """
            | EMPTY | STARTING · COOLING | memory gate and retry debt admit a start · debt |
            | COOLING | STARTING | the cool-down is over and work or a self-healing probe wants it |
            | STARTING | IDLE · EMPTY · STUCK | `ready` · start failed (debt) · initialisation watchdog (debt), or the drain bound |
            | IDLE | DISPATCHED · RETIRING | work sent · replacement, shutdown, operator |
            | DISPATCHED | RUNNING · IDLE · RETIRING | `started` · `cancelled` · dispatch watchdog |
            | RUNNING | IDLE · RETIRING | completed, failed, terminated · execution watchdog, replacement |
            | RETIRING | EMPTY · STUCK | exit confirmed · bounded grace over without it |
            | STUCK | EMPTY | the thread was seen to return at last |
            """;

    private static final long NOW = 0;

    @Test
    void theOperationEdgesAreThoseOfTheArchitecture() {
        Set<String> inCode = new TreeSet<>();
        for (OperationState from : OperationState.values()) {
            from.next().forEach(to -> inCode.add(from + ">" + to));
        }
        assertThat(inCode).isEqualTo(edges(OPERATIONS));
    }

    @Test
    void theSlotEdgesAreThoseOfTheArchitecture() {
        Set<String> inCode = new TreeSet<>();
        for (SlotState from : SlotState.values()) {
            from.next().forEach(to -> inCode.add(from + ">" + to));
        }
        assertThat(inCode).isEqualTo(edges(SLOTS));
    }

    @Test
    void everyOperationMoveThatTheTableDoesNotHaveThrows() {
        List<String> refused = new ArrayList<>();
        for (OperationState from : OperationState.values()) {
            for (OperationState to : OperationState.values()) {
                if (from.next().contains(to)) {
                    continue;
                }
                Operations operations = new Operations(PoolLimits.defaults(1).queue(), new Outbox());
                List<EmbedInput> inputs = List.of(new EmbedInput.Text("a"));
                Operation operation = operations.create(
                        new OperationKey("m", InputType.QUERY, OperationKey.digest(inputs)),
                        inputs,
                        Priority.QUERY,
                        3,
                        NOW);
                operation.state = from;
                assertThatThrownBy(() -> operations.transition(operation, to, NOW, "test"))
                        .isInstanceOf(IllegalEdgeException.class);
                assertThat(operation.state).isEqualTo(from);
                refused.add(from + ">" + to);
            }
        }
        assertThat(refused).hasSize(8 * 8 - 14);
    }

    @Test
    void everySlotMoveThatTheTableDoesNotHaveThrows() {
        List<String> refused = new ArrayList<>();
        for (SlotState from : SlotState.values()) {
            for (SlotState to : SlotState.values()) {
                if (from.next().contains(to)) {
                    continue;
                }
                Slots slots = new Slots(PoolLimits.defaults(1), new Outbox(), new Counters(), NOW);
                Slot slot = slots.all().get(0);
                slot.state = from;
                assertThatThrownBy(() -> slots.transition(slot, to, NOW, "test"))
                        .isInstanceOf(IllegalEdgeException.class);
                refused.add(from + ">" + to);
            }
        }
        assertThat(refused).hasSize(8 * 8 - 16);
    }

    private static Set<String> edges(String table) {
        Set<String> edges = new TreeSet<>();
        for (String line : table.strip().lines().toList()) {
            String[] cells = line.strip().split("\\|", -1);
            Arrays.stream(cells[2].split("·", -1))
                    .map(String::strip)
                    .forEach(to -> edges.add(cells[1].strip() + ">" + to));
        }
        return edges;
    }
}
