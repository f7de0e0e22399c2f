package io.recallgate.embedding.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.recallgate.mutation.MutantLoader;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows that the simulation of case A26 finds defects: each of these is planted into the dispatcher, and some schedule
 * must fail for it.
 *
 * <ul>
 *   <li>expiries whose thread returned are not bounded
 *   <li>a retained result is used twice
 *   <li>the execution watchdog ends nothing
 *   <li>the execution watchdog is not armed
 *   <li>a repeated started arms the execution watchdog again
 *   <li>the dispatch watchdog is not armed
 *   <li>the initialisation watchdog is not armed
 *   <li>a forced termination has no grace
 *   <li>a retiring worker has no grace
 *   <li>a drain has no bound
 *   <li>a termination frees the slot before its acknowledgement
 *   <li>the last waiter cancels work that runs
 *   <li>a cancel costs retry debt
 *   <li>a run is ended that somebody waits for
 *   <li>work that was left off loses its turn
 *   <li>work that was left off turns round
 *   <li>a query waits for all rows of documents
 *   <li>all workers leave off for one query
 *   <li>documents leave off for documents
 *   <li>a run is ended although nothing else waits
 *   <li>a waiter settles twice
 *   <li>a waiter's deadline stays armed
 *   <li>the bytes of work are not given back
 *   <li>documents take the queries' share of the queue
 *   <li>an operation takes any number of waiters
 *   <li>equal work is not joined
 *   <li>generations are not compared
 *   <li>the offset of rows is not checked
 *   <li>the number of rows is not checked
 *   <li>a lost thread's keys are released when its slot is retired
 *   <li>work that a lost worker may still start is sent to another
 *   <li>neighbours of expired work are quarantined with it
 *   <li>an expiry in company is not counted
 *   <li>neighbours of expired work are run beside the thread that has them
 *   <li>work is failed for the neighbour that ended their worker
 *   <li>poison takes a third slot
 *   <li>a worker's success forgives its siblings' debt
 *   <li>a cool-down is ignored
 *   <li>documents starve
 *   <li>the youngest work is served first
 *   <li>an idle worker gets no work
 *   <li>kept rows of another model are used
 *   <li>replacement leaves waiting work to the old model
 *   <li>the memory gate does not count stuck workers
 *   <li>work that was taken back before it started comes back in another order
 *   <li>a start is not charged until the worker has measured itself
 *   <li>a slot is free before its worker's exit is confirmed
 *   <li>memory may run out any number of times
 *   <li>the worker's token cap is ignored
 *   <li>finished rows that nobody waits for are thrown away
 *   <li>work that a worker gave back comes back in another order
 *   <li>a start after the end draws a termination
 *   <li>shutdown answers nobody
 * </ul>
 *
 * <p>{@code ./recallgate test -pl embedding-verticle -Dtest=MutationTest} runs it by itself.
 */
class MutationTest {

    private static final Logger LOG = LoggerFactory.getLogger(MutationTest.class);
    /** A defect that so many schedules do not show is not found. Most show within ten, the rarest within 1,200. */
    private static final int SCHEDULES = 3_000;

    private static final int CONTROL_SCHEDULES = 100;

    @Test
    void everyPlantedDefectIsFound() throws Exception {
        Map<Mutation, Future<@Nullable String>> runs = new LinkedHashMap<>();
        List<String> survivors = new ArrayList<>();
        ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            for (Mutation mutation : Mutation.ALL) {
                runs.put(
                        mutation,
                        threads.submit(() -> simulate(
                                MutantLoader.with(MutationTest.class, mutation.type(), mutation.source()), SCHEDULES)));
            }
            for (Map.Entry<Mutation, Future<@Nullable String>> run : runs.entrySet()) {
                String found = run.getValue().get();
                LOG.info("{}: {}", run.getKey().name(), found);
                if (found == null) {
                    survivors.add(run.getKey().name());
                }
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(survivors)
                .as("planted defects that %s schedules did not show", SCHEDULES)
                .isEmpty();
    }

    @Test
    void withoutADefectNothingIsFound() throws Exception {
        assertThat(simulate(MutantLoader.unchanged(MutationTest.class), CONTROL_SCHEDULES))
                .isNull();
        Mutation same = new Mutation("control", "SliceFlow", "final class SliceFlow {", "final class SliceFlow {");
        assertThat(simulate(MutantLoader.with(MutationTest.class, same.type(), same.source()), CONTROL_SCHEDULES))
                .isNull();
    }

    @Test
    void theListAboveNamesEveryPlantedDefect() throws Exception {
        String source = Files.readString(Path.of("src/test/java/io/recallgate/embedding/pool/MutationTest.java"));
        List<String> listed = new ArrayList<>();
        Matcher items = Pattern.compile("(?m)^ \\*   <li>(.*)$").matcher(source);
        while (items.find()) {
            listed.add(items.group(1));
        }
        assertThat(listed)
                .containsExactlyElementsOf(
                        Mutation.ALL.stream().map(Mutation::name).toList())
                .doesNotHaveDuplicates();
    }

    /** What the simulation finds in this copy of the pool, null if nothing. */
    private static @Nullable String simulate(ClassLoader copy, int schedules) throws ReflectiveOperationException {
        Method run = copy.loadClass(SimulationRun.class.getName()).getDeclaredMethod("firstFailure", long.class);
        run.setAccessible(true);
        return (String) run.invoke(null, (long) schedules);
    }
}
