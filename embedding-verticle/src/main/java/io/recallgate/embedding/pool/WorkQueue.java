package io.recallgate.embedding.pool;

import io.recallgate.embedding.api.Priority;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Waiting operations in two lines, queries before documents, with a bound on how long documents give way. */
final class WorkQueue {

    private final Deque<Operation> queries = new ArrayDeque<>();
    private final Deque<Operation> documents = new ArrayDeque<>();
    private final int queriesPerDocument;
    /** Query slices since documents last had their turn, counted only while documents wait. */
    private int streak;

    WorkQueue(int queriesPerDocument) {
        this.queriesPerDocument = queriesPerDocument;
    }

    void addLast(Operation operation) {
        line(operation.priority).addLast(operation);
    }

    void addFirst(Operation operation) {
        line(operation.priority).addFirst(operation);
    }

    /** Puts a waiting operation before the others of its line: it was sent, and has had nothing of it. */
    void keepTurn(Operation operation) {
        remove(operation);
        addFirst(operation);
    }

    void remove(Operation operation) {
        line(operation.priority).remove(operation);
    }

    /** Moves a waiting operation to the queries. */
    void promote(Operation operation) {
        documents.remove(operation);
        operation.priority = Priority.QUERY;
        queries.addLast(operation);
    }

    /** The first of the line whose turn it is, without what may not run now; empty if nothing may run. */
    List<Operation> nextLine(Predicate<Operation> mayRun, int most) {
        List<Operation> readyQueries = ready(queries, mayRun, most);
        if (!readyQueries.isEmpty() && streak < queriesPerDocument) {
            return readyQueries;
        }
        List<Operation> readyDocuments = ready(documents, mayRun, most);
        return readyDocuments.isEmpty() ? readyQueries : readyDocuments;
    }

    private static List<Operation> ready(Deque<Operation> line, Predicate<Operation> mayRun, int most) {
        List<Operation> ready = new ArrayList<>();
        for (Operation operation : line) {
            if (ready.size() == most) {
                break;
            }
            if (mayRun.test(operation)) {
                ready.add(operation);
            }
        }
        return ready;
    }

    /** Takes note of a slice that was sent from the line of this priority. */
    void took(Priority priority) {
        streak = priority == Priority.QUERY && !documents.isEmpty() ? streak + 1 : 0;
    }

    /** Queries that could run now. */
    int countQueries(Predicate<Operation> mayRun) {
        return count(queries, mayRun);
    }

    int count(Predicate<Operation> mayRun) {
        return count(queries, mayRun) + count(documents, mayRun);
    }

    private static int count(Deque<Operation> line, Predicate<Operation> mayRun) {
        int count = 0;
        for (Operation operation : line) {
            count += mayRun.test(operation) ? 1 : 0;
        }
        return count;
    }

    boolean isEmpty() {
        return queries.isEmpty() && documents.isEmpty();
    }

    List<Operation> all() {
        return Stream.concat(queries.stream(), documents.stream()).toList();
    }

    PoolSnapshot.QueueView view(Priority priority, long now) {
        Deque<Operation> line = line(priority);
        long oldest = 0;
        // After every turn of the loop over the whole line, so without a stream.
        for (Operation operation : line) {
            oldest = Math.max(oldest, now - operation.submittedAt);
        }
        return new PoolSnapshot.QueueView(line.size(), oldest);
    }

    private Deque<Operation> line(Priority priority) {
        return priority == Priority.QUERY ? queries : documents;
    }
}
