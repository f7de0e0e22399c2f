package io.recallgate.embedding.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A defect that is planted into the dispatcher to see the simulation find it.
 *
 * @param name what is wrong then, in the words of the list of {@link MutationTest}
 * @param type simple name of the class that is changed
 * @param find text that is in its source exactly once
 * @param replacement what stands there instead
 */
record Mutation(String name, String type, String find, String replacement) {

    private static final Path SOURCES = Path.of("src/main/java/io/recallgate/embedding/pool");

    /** In the order of the list of {@link MutationTest}; those that take longest to find come first. */
    static final List<Mutation> ALL = List.of(
            new Mutation(
                    "expiries whose thread returned are not bounded",
                    "Quarantine",
                    "            return entry.strikes == 0;\n        });\n        // What was busy beyond the bound is not any more.\n        bound();",
                    "            return entry.strikes == 0;\n        });"),
            new Mutation(
                    "a retained result is used twice",
                    "RetainedResults",
                    "void use(OperationKey key) {\n        results.remove(key);",
                    "void use(OperationKey key) {"),
            new Mutation("the execution watchdog ends nothing", "SliceFlow", "        forceEnd(slot, now);", ""),
            new Mutation(
                    "the execution watchdog is not armed",
                    "SliceReplies",
                    "pool.outbox.arm(\n                TimerKey.of(Kind.EXECUTION",
                    "java.util.Objects.hash(\n                TimerKey.of(Kind.EXECUTION"),
            new Mutation(
                    "a repeated started arms the execution watchdog again",
                    "SliceReplies",
                    "        if (slot.state == SlotState.RETIRING || slot.state == SlotState.STUCK) {",
                    "        if (slot.state == SlotState.RUNNING && !slot.heldSlice().expired) {\n            TimerKey again = TimerKey.of(Kind.EXECUTION, slot.index, message.sliceId());\n            pool.outbox.disarm(again);\n            pool.outbox.arm(again, now + pool.limits.watchdogs().execution().toNanos());\n        }\n        if (slot.state == SlotState.RETIRING || slot.state == SlotState.STUCK) {"),
            new Mutation(
                    "the dispatch watchdog is not armed",
                    "SliceFlow",
                    "pool.outbox.arm(\n                TimerKey.of(Kind.DISPATCH",
                    "java.util.Objects.hash(\n                TimerKey.of(Kind.DISPATCH"),
            new Mutation(
                    "the initialisation watchdog is not armed",
                    "Slots",
                    "outbox.arm(\n                TimerKey.of(Kind.INITIALISATION",
                    "java.util.Objects.hash(\n                TimerKey.of(Kind.INITIALISATION"),
            new Mutation(
                    "a forced termination has no grace",
                    "SliceFlow",
                    "pool.outbox.arm(\n                TimerKey.of(Kind.TERMINATION_GRACE",
                    "java.util.Objects.hash(\n                TimerKey.of(Kind.TERMINATION_GRACE"),
            new Mutation(
                    "a retiring worker has no grace",
                    "Slots",
                    "outbox.arm(\n                TimerKey.of(Kind.EXIT_GRACE",
                    "java.util.Objects.hash(\n                TimerKey.of(Kind.EXIT_GRACE"),
            new Mutation(
                    "a drain has no bound",
                    "SlotKeeper",
                    "pool.outbox.arm(\n                TimerKey.of(Kind.DRAIN",
                    "java.util.Objects.hash(\n                TimerKey.of(Kind.DRAIN"),
            new Mutation(
                    "a termination frees the slot before its acknowledgement",
                    "SliceFlow",
                    "pool.outbox.add(new Effect.Send(new ToWorker.Terminate(slot.index, slot.generation, slice.id)));",
                    "pool.outbox.add(new Effect.Send(new ToWorker.Terminate(slot.index, slot.generation, slice.id)));\n            if (slot.state == SlotState.RUNNING && !slice.expired) {\n                pool.slots.disarmWork(slot);\n                pool.operations.transition(slice.operations.get(0), OperationState.CANCELLED, 0, \"\");\n                slot.slice = null;\n                pool.slots.transition(slot, SlotState.IDLE, 0, \"\");\n                return;\n            }"),
            new Mutation(
                    "the last waiter cancels work that runs",
                    "Admission",
                    "if (!operation.hasWaiters() && operation.state == OperationState.QUEUED) {",
                    "if (!operation.hasWaiters() && operation.state == OperationState.RUNNING) {"),
            new Mutation(
                    "a cancel costs retry debt",
                    "Admission",
                    "        if (!operation.hasWaiters() && operation.state == OperationState.QUEUED) {",
                    "        pool.slots.all().forEach(slot -> slot.debt.failed(slot.generation, now));\n        if (!operation.hasWaiters() && operation.state == OperationState.QUEUED) {"),
            new Mutation(
                    "a run is ended that somebody waits for",
                    "Slot",
                    "noneMatch(Operation::hasWaiters)",
                    "anyMatch(operation -> !operation.hasWaiters())"),
            new Mutation(
                    "work that was left off loses its turn",
                    "SliceReplies",
                    "                pool.operations.queue().keepTurn(operation);",
                    "                pool.counters.count(Counters.Name.PAUSES);"),
            new Mutation(
                    "work that was left off turns round",
                    "SliceReplies",
                    "int i = leftOff.size() - 1; i >= 0; i--",
                    "int i = 0; i < leftOff.size(); i++"),
            new Mutation(
                    "a query waits for all rows of documents",
                    "Scheduler",
                    "        if (waiting == 0 || pool.closed) {",
                    "        if (waiting >= 0 || pool.closed) {"),
            new Mutation(
                    "all workers leave off for one query",
                    "Scheduler",
                    "                flow.pause(slot);\n                waiting--;",
                    "                flow.pause(slot);"),
            new Mutation(
                    "documents leave off for documents",
                    "Scheduler",
                    "        int waiting = pool.operations.queue().countQueries(pool::mayRun);",
                    "        int waiting = pool.operations.queue().count(pool::mayRun);"),
            new Mutation(
                    "a run is ended although nothing else waits",
                    "Scheduler",
                    "if (waiting-- > 0) {",
                    "if (waiting-- > -9) {"),
            new Mutation(
                    "a waiter settles twice",
                    "Operations",
                    "Operation operation = byWaiter.remove(waiter);",
                    "Operation operation = byWaiter.get(waiter);"),
            new Mutation(
                    "a waiter's deadline stays armed",
                    "Operations",
                    "        outbox.disarm(TimerKey.waiterDeadline(waiter));",
                    ""),
            new Mutation(
                    "the bytes of work are not given back",
                    "Operations",
                    "liveBytes += sign * operation.bytes;",
                    "liveBytes += Math.max(0, sign) * operation.bytes;"),
            new Mutation(
                    "documents take the queries' share of the queue",
                    "Operations",
                    "full || (document && fullForDocuments)",
                    "full"),
            new Mutation(
                    "an operation takes any number of waiters",
                    "Operations",
                    "return operation.waiters.size() < limits.waitersPerOperation();",
                    "return true;"),
            new Mutation(
                    "equal work is not joined",
                    "Admission",
                    "} else if (existing != null) {",
                    "} else if (existing != null && existing.hasWaiters()) {"),
            new Mutation("generations are not compared", "Slots", " || slots.get(index).generation != generation", ""),
            new Mutation(
                    "the offset of rows is not checked",
                    "SliceReplies",
                    "part.rowOffset() == operation.nextRow() && ",
                    ""),
            new Mutation(
                    "the number of rows is not checked",
                    "SliceReplies",
                    " && part.rows().size() <= slice.rowsOf(operation)",
                    ""),
            new Mutation(
                    "a lost thread's keys are released when its slot is retired",
                    "SliceFlow",
                    "pool.slots.retire(slot, now, \"termination unanswered\");",
                    "pool.slots.retire(slot, now, \"termination unanswered\");\n        pool.quarantine.release(slot.index, slot.generation, now);"),
            new Mutation(
                    "work that a lost worker may still start is sent to another",
                    "PoolState",
                    "quarantine.isFenced(operation.key) || quarantine.isHeld(operation.key)",
                    "quarantine.isHeld(operation.key)"),
            new Mutation(
                    "neighbours of expired work are quarantined with it",
                    "SliceFlow",
                    "            if (slice.isShared()) {\n                pool.quarantine.strike(operation.key, now);",
                    "            if (slice.operations.isEmpty()) {\n                pool.quarantine.strike(operation.key, now);"),
            new Mutation(
                    "an expiry in company is not counted",
                    "SliceFlow",
                    "                pool.quarantine.strike(operation.key, now);\n                operation.alone = true;",
                    "                operation.alone = true;"),
            new Mutation(
                    "neighbours of expired work are run beside the thread that has them",
                    "SliceFlow",
                    "            fence(slot);\n            putBack(slice, now, \"not ended in time\");",
                    "            putBack(slice, now, \"not ended in time\");\n            if (slice.expired) {\n                pool.slots.retire(slot, now, \"\");\n                return;\n            }"),
            new Mutation(
                    "work is failed for the neighbour that ended their worker",
                    "SliceFlow",
                    "            if (slice.isShared()) {\n                putBack(slice, now, \"its worker ended\");\n            } else if (!slice.expired) {",
                    "            if (!slice.expired) {"),
            new Mutation("poison takes a third slot", "Quarantine", "FINAL_STRIKES = 2", "FINAL_STRIKES = 3"),
            new Mutation(
                    "a worker's success forgives its siblings' debt",
                    "SlotKeeper",
                    "slot.debt.succeeded(slot.generation);",
                    "pool.slots.all().forEach(sibling -> sibling.debt.forgive());"),
            new Mutation(
                    "a cool-down is ignored",
                    "SlotKeeper",
                    "            if (!slot.debt.isBlocked(now)) {",
                    "            if (pool.slots.gateAdmits()) {"),
            new Mutation(
                    "documents starve",
                    "WorkQueue",
                    "streak < queriesPerDocument",
                    "streak < 100 * queriesPerDocument"),
            new Mutation(
                    "the youngest work is served first",
                    "WorkQueue",
                    "line(operation.priority).addLast(operation);",
                    "line(operation.priority).addFirst(operation);"),
            new Mutation(
                    "an idle worker gets no work",
                    "Scheduler",
                    "sent = flow.dispatch(slot, now);",
                    "sent = flow.dispatch(slot, now) && slot.index > 0;"),
            new Mutation(
                    "kept rows of another model are used",
                    "Admission",
                    "kept != null && kept.identity().equals(pool.identity)",
                    "kept != null"),
            new Mutation(
                    "replacement leaves waiting work to the old model",
                    "Dispatcher",
                    "                pool.rekey(waiting, now);",
                    ""),
            new Mutation(
                    "the memory gate does not count stuck workers",
                    "Slots",
                    "return gate().admitsStart();",
                    "long stuck = slots.stream().filter(slot -> slot.state == SlotState.STUCK).mapToLong(slot -> slot.chargedBytes).sum();\n        return budgetBytes - gate().chargedBytes() + stuck >= nextBytes();"),
            new Mutation(
                    "work that was taken back before it started comes back in another order",
                    "SliceFlow",
                    "for (int i = slice.operations.size() - 1; i >= 0; i--) {",
                    "for (int i = 0; i < slice.operations.size(); i++) {"),
            new Mutation(
                    "a start is not charged until the worker has measured itself",
                    "Slots",
                    "        slot.chargedBytes = nextBytes();",
                    ""),
            new Mutation(
                    "a slot is free before its worker's exit is confirmed",
                    "SlotKeeper",
                    "pool.slots.transition(slot, SlotState.STUCK, now, \"exit not confirmed\");",
                    "pool.slots.vacate(slot, now, \"exit not confirmed\");"),
            new Mutation(
                    "memory may run out any number of times",
                    "SliceReplies",
                    "? !operation.memoryRetried :",
                    "? true :"),
            new Mutation(
                    "the worker's token cap is ignored",
                    "SliceFlow",
                    "Math.min(limits.paddedTokens(), slot.tokenCap)",
                    "limits.paddedTokens()"),
            new Mutation(
                    "finished rows that nobody waits for are thrown away",
                    "PoolState",
                    "            retained.keep(operation.key, by, operation.finished(), now);",
                    ""),
            new Mutation(
                    "work that a worker gave back comes back in another order",
                    "SliceReplies",
                    "for (int i = operations.size() - 1; i >= 0; i--) {",
                    "for (int i = 0; i < operations.size(); i++) {"),
            new Mutation(
                    "a start after the end draws a termination",
                    "SliceReplies",
                    "        if (pool.ended) {\n            return; //",
                    "        if (pool.slots.all().isEmpty()) {\n            return; //"),
            new Mutation(
                    "shutdown answers nobody",
                    "Dispatcher",
                    "            pool.operations.settleEverybody(Outcomes.shuttingDown());",
                    ""));

    /** The source of the changed class. */
    String source() throws IOException {
        String source = Files.readString(SOURCES.resolve(type + ".java"));
        int at = source.indexOf(find);
        if (at < 0 || source.indexOf(find, at + 1) >= 0) {
            throw new AssertionError("the text to change is " + (at < 0 ? "not" : "more than once") + " in " + type
                    + ": update the mutation '" + name + "', looking for: " + find);
        }
        return source.replace(find, replacement);
    }
}
