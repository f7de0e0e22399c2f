package io.recallgate.gateway.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.mutation.MutantLoader;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Shows that the simulation finds defects: each of these is planted, and some schedule must fail for it. */
class ProbeMutationTest {

    private static final int SCHEDULES = 3_000;
    private static final int CONTROL_SCHEDULES = 100;
    private static final Path SOURCES = Path.of("src/main/java/io/recallgate/gateway/probe");

    /**
     * A defect.
     *
     * @param type simple name of the class that is changed
     * @param find text that is in its source exactly once
     * @param replacement what stands there instead
     */
    private record Defect(String name, String type, String find, String replacement) {
        String source() throws IOException {
            String source = Files.readString(SOURCES.resolve(type + ".java"));
            assertThat(source.split(java.util.regex.Pattern.quote(find), -1))
                    .as("the text to change of '%s' is in %s once", name, type)
                    .hasSize(2);
            return source.replace(find, replacement);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Defect> defects() {
        return List.of(
                new Defect(
                        "there is no floor",
                        "ProbeOptions",
                        "return isPaced() ? (long) Math.ceil(chargedNanos / duty) : 0;",
                        "return 0;"),
                new Defect(
                        "the floor is paid twice",
                        "ProbeOptions",
                        "Math.ceil(chargedNanos / duty)",
                        "Math.ceil(2 * chargedNanos / duty)"),
                new Defect(
                        "the age of a flight has no bound",
                        "HealthProjection",
                        "return now - flight.startNanos() > flight.budgetNanos() + GRACE_NANOS;",
                        "return false;"),
                new Defect(
                        "a dead schedule is not looked for",
                        "HealthProjection",
                        "if (flight == null && isOverdue(view, now)) {",
                        "if (false) {"),
                new Defect(
                        "the floor and the back-off count as silence",
                        "HealthProjection",
                        "now - due.atNanos()\n",
                        "now - view.sinceNanos()\n"),
                new Defect(
                        "abandonment costs nothing more",
                        "ProbeOptions",
                        "return abandoned ? spanNanos + budgetNanos : spanNanos;",
                        "return spanNanos;"),
                new Defect("a failure has no back-off", "ProbeOptions", "if (failures == 0) {", "if (failures >= 0) {"),
                new Defect(
                        "the back-off does not double",
                        "ProbeOptions",
                        "Math.pow(2, Math.min(failures - 1, MAX_DOUBLINGS))",
                        "1"),
                new Defect(
                        "success does not clear failures",
                        "ProbeGate",
                        "failures = settled.outcome().isHealthy() ? 0 : failures + 1;",
                        "failures++;"),
                new Defect("ticks of an ended schedule count", "ProbeGate", "tick.epoch() != epoch || ", ""),
                new Defect(
                        "nobody's patience is looked at",
                        "ProbeGate",
                        "return state != GateState.FLYING && run.waitNanos() < options.budgetNanos() ? Refusal.WAIT_TOO_SHORT : null;",
                        "return null;"),
                new Defect(
                        "a coalesced attempt is begun for those who cannot wait for it",
                        "ProbeGate",
                        "waiter.untilNanos() - now < options.budgetNanos()",
                        "waiter.untilNanos() - now < 0"),
                new Defect(
                        "results about another model are kept",
                        "ProbeGate",
                        "boolean wanted = isWanted(ended);",
                        "boolean wanted = state != GateState.SUPERSEDED || true;"),
                new Defect(
                        "late results count",
                        "ProbeGate",
                        "ended == null || ended.id() != event.flight()",
                        "ended == null"),
                new Defect(
                        "a stop leaves those who wait",
                        "ProbeGate",
                        "        deliverAll(Delivery.refused(Refusal.ENDED));\n    }\n\n    private void tick",
                        "    }\n\n    private void tick"),
                new Defect(
                        "another model clears the floor",
                        "ProbeGate",
                        "        result = null;\n        failures = 0;",
                        "        result = null;\n        charged = null;\n        failures = 0;"),
                new Defect(
                        "a run by hand does not join",
                        "ProbeGate",
                        "        if (flight == null) {\n            if (state == GateState.GAVE_UP) {",
                        "        if (state != GateState.SUPERSEDED) {\n            if (state == GateState.GAVE_UP) {"),
                new Defect(
                        "giving up is no end",
                        "ProbeOptions",
                        "return maxFailures > 0 && failures >= maxFailures;",
                        "return false;"));
    }

    @ParameterizedTest
    @MethodSource("defects")
    void everyPlantedDefectIsFound(Defect defect) throws Exception {
        assertThat(simulate(MutantLoader.with(ProbeMutationTest.class, defect.type(), defect.source()), SCHEDULES))
                .as("what %s schedules show of it", SCHEDULES)
                .isNotNull();
    }

    @Test
    void withoutADefectNothingIsFound() throws Exception {
        String same = Files.readString(SOURCES.resolve("ProbeGate.java"));

        assertThat(simulate(MutantLoader.unchanged(ProbeMutationTest.class), CONTROL_SCHEDULES))
                .isNull();
        assertThat(simulate(MutantLoader.with(ProbeMutationTest.class, "ProbeGate", same), CONTROL_SCHEDULES))
                .isNull();
    }

    /** What the simulation finds in this copy of the package, null if nothing. */
    private static @Nullable String simulate(ClassLoader copy, int schedules) throws ReflectiveOperationException {
        Method run = copy.loadClass(GateSimulation.class.getName()).getDeclaredMethod("firstFailure", long.class);
        run.setAccessible(true);
        return (String) run.invoke(null, (long) schedules);
    }
}
