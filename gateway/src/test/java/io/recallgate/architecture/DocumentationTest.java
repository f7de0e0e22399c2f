package io.recallgate.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.embedding.pool.OperationState;
import io.recallgate.embedding.pool.SlotState;
import io.recallgate.embedding.remote.BreakerState;
import io.recallgate.gateway.config.Setting;
import io.recallgate.gateway.conversation.admission.TurnState;
import io.recallgate.gateway.conversation.upstream.CallState;
import io.recallgate.gateway.postgres.PostgresState;
import io.recallgate.gateway.probe.GateState;
import io.recallgate.gateway.runtime.LifecycleState;
import io.recallgate.recall.database.PulseState;
import io.recallgate.recall.jobs.JobState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The documents say what the code does, where a machine can compare the two. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern EDGE = Pattern.compile("^ +([A-Z_]+) --> ([A-Z_]+)", Pattern.MULTILINE);
    private static final Pattern VARIABLE = Pattern.compile("`((?:RECALLGATE|EMBEDDING)_[A-Z_]+)`");
    private static final Pattern SETTING_ROW = Pattern.compile(
            "^\\| (`(?:RECALLGATE|EMBEDDING)_[A-Z_]+`(?:, `RECALLGATE_[A-Z_]+`)*) \\| ([^|]+) \\| ([^|]+) \\|$",
            Pattern.MULTILINE);
    private static final Pattern STACK_VARIABLE = Pattern.compile("\\$\\{(RECALLGATE_[A-Z_]+)");

    @Test
    void theStateDiagramsShowExactlyTheLegalEdges() throws IOException {
        assertDiagram("operation", OperationState.values(), OperationState::next);
        assertDiagram("slot", SlotState.values(), SlotState::next);
        assertDiagram("job", JobState.values(), JobState::next);
        assertDiagram("gateway", LifecycleState.values(), LifecycleState::next);
        assertDiagram("postgres", PostgresState.values(), PostgresState::next);
        assertDiagram("pulse", PulseState.values(), PulseState::next);
        assertDiagram("breaker", BreakerState.values(), BreakerState::next);
        assertDiagram("gate", GateState.values(), GateState::next);
        assertDiagram("turn", TurnState.values(), TurnState::next);
        assertDiagram("call", CallState.values(), CallState::next);
    }

    @Test
    void theReadmesVerticleIsTheOneThatATestRuns() throws IOException {
        String example =
                Files.readString(ROOT.resolve("gateway/src/test/java/io/recallgate/example/MemoryVerticle.java"));
        String shown = example.substring(example.indexOf("public class")).strip();
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("```java\n" + shown + "\n```");
    }

    @Test
    void theReadmeNamesOnlySettingsThatExist() throws IOException {
        Set<String> settings =
                Arrays.stream(Setting.values()).map(Setting::environment).collect(Collectors.toSet());
        Arrays.stream(Setting.values())
                .filter(Setting::secret)
                .forEach(secret -> settings.add(secret.environment() + "_FILE"));
        // Read by the tests and the command line, not by the gateway.
        settings.addAll(Set.of("RECALLGATE_TEST_PGVECTOR_URL", "RECALLGATE_URL", "RECALLGATE_KEY"));
        // Filled in by Compose before anything of ours runs.
        STACK_VARIABLE
                .matcher(Files.readString(ROOT.resolve("docker/compose.yaml")))
                .results()
                .forEach(variable -> settings.add(variable.group(1)));
        Matcher found = VARIABLE.matcher(Files.readString(ROOT.resolve("README.md")));
        Set<String> named = new TreeSet<>();
        while (found.find()) {
            String name = found.group(1);
            // A secret may come from a file, under its name with _FILE.
            named.add(settings.contains(name) ? name : name.replaceFirst("_FILE$", ""));
        }
        assertThat(named).hasSizeGreaterThan(8).isSubsetOf(settings);
    }

    @Test
    void theReadmesTableHasTheDefaultsAndSaysWhatIsLive() throws IOException {
        Map<String, Setting> settings =
                Arrays.stream(Setting.values()).collect(Collectors.toMap(Setting::environment, Function.identity()));
        Set<Setting> shown = EnumSet.noneOf(Setting.class);
        for (MatchResult row : SETTING_ROW
                .matcher(Files.readString(ROOT.resolve("README.md")))
                .results()
                .toList()) {
            String[] names = row.group(1).replace("`", "").split(", ", -1);
            // Words instead of a value stand for one that is not there.
            String[] defaults = row.group(2).startsWith("`")
                    ? row.group(2).replace("`", "").split(", ", -1)
                    : new String[names.length];
            assertThat(defaults).as(row.group()).hasSameSizeAs(names);
            for (int i = 0; i < names.length; i++) {
                Setting setting = settings.get(names[i]);
                assertThat(setting).as(names[i]).isNotNull();
                shown.add(setting);
                assertThat(setting.defaultValue()).as(names[i]).isEqualTo(defaults[i]);
                assertThat(row.group(3).endsWith("; live"))
                        .as(names[i] + " is live")
                        .isEqualTo(setting.live());
            }
        }
        assertThat(shown).as("the test finds the rows").hasSizeGreaterThan(8);
    }

    @Test
    void noPlaceholderIsLeftInTheReadme() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md"))).doesNotContainPattern("@[A-Z]+@");
    }

    private static <S extends Enum<S>> void assertDiagram(String name, S[] states, Function<S, Set<S>> next)
            throws IOException {
        String document = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
        int start = document.indexOf("as " + name + " {");
        assertThat(start).as("the diagram of " + name).isPositive();
        Matcher edge = EDGE.matcher(document.substring(start, document.indexOf("\n  }\n", start)));
        Set<String> drawn = new TreeSet<>();
        while (edge.find()) {
            drawn.add(edge.group(1) + " --> " + edge.group(2));
        }
        Set<String> legal = new TreeSet<>();
        for (S from : states) {
            next.apply(from).forEach(to -> legal.add(from + " --> " + to));
        }
        assertThat(drawn).as(name).isEqualTo(legal);
    }
}
