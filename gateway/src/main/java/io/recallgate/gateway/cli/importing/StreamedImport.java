package io.recallgate.gateway.cli.importing;

import io.recallgate.gateway.cli.client.Answer;
import io.recallgate.gateway.cli.client.GatewayAddress;
import io.recallgate.gateway.cli.client.ImportUpload;
import io.recallgate.gateway.cli.client.Pauses;
import io.recallgate.gateway.cli.console.CommandFailedException;
import io.recallgate.gateway.cli.conversation.SourceItem;
import io.recallgate.time.Clock;
import io.recallgate.time.Deadline;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Imports a file through {@code POST /v1/memories/import}. When the gateway is busy, or its database away, for a while,
 * the rest of the file is sent again later. Used once, by one thread.
 */
public final class StreamedImport {

    private static final long LOOK_EVERY_MILLIS = 200;
    private static final long PAUSE_MILLIS = 2_000;

    /** Failures after which the same gateway may go on in a while. */
    private static final Set<String> PASSING =
            Set.of("database-unavailable", "overloaded", "conflict", "deadline-exceeded");

    private final GatewayAddress address;
    private final @Nullable String session;
    private final Clock clock;
    private final Pauses pauses;
    private final Progress progress;

    private long stored;
    private long updated;
    private long unchanged;
    private long rejectedCount;
    private long lines;
    private final List<SourceItem.Damaged> rejected = new ArrayList<>();
    private @Nullable JsonObject running;

    /** Told how far it is, on the calling thread. */
    @FunctionalInterface
    public interface Progress {
        /**
         * Shows it.
         *
         * @param accepted memories that the gateway has stored
         * @param position of the source
         * @param size in the same unit, -1 when unknown
         */
        void show(long accepted, long position, long size);
    }

    /** @param session given to memories that name none; null leaves them without */
    public StreamedImport(
            GatewayAddress address, @Nullable String session, Clock clock, Pauses pauses, Progress progress) {
        this.address = address;
        this.session = session;
        this.clock = clock;
        this.pauses = pauses;
        this.progress = progress;
    }

    /**
     * Imports all of it.
     *
     * @param patience how long to go on with a gateway that says that it cannot for now
     * @throws CommandFailedException if that was not enough, or the gateway stops answering; what it told stays stored
     */
    public ImportReport run(ImportFile file, Duration patience) {
        long started = clock.nanoTime();
        Deadline deadline = Deadline.after(clock, patience);
        while (true) {
            Answer answer = attempt(file);
            long pause = PAUSE_MILLIS;
            if (answer.isSuccess()) {
                JsonObject last = answer.json();
                if (Boolean.TRUE.equals(last.getValue("done"))) {
                    break;
                }
                if (!PASSING.contains(String.valueOf(last.getValue("code")))) {
                    throw interrupted(file, answer.problem());
                }
            } else if (answer.asksToWait()) {
                Long seconds = answer.retryAfterSeconds();
                pause = seconds == null ? PAUSE_MILLIS : seconds * 1_000;
            } else {
                throw interrupted(file, answer.explain());
            }
            if ((file.isStandardInput() && lines > 0) || deadline.remainingMillis() < pause) {
                throw interrupted(file, answer.isSuccess() ? answer.problem() : answer.explain());
            }
            pauses.pauseMillis(pause);
            if (Thread.currentThread().isInterrupted()) {
                throw interrupted(file, "interrupted");
            }
        }
        rejected.sort(Comparator.comparingLong(one -> one.line().orElse(0)));
        double seconds = (clock.nanoTime() - started) / (double) TimeUnit.SECONDS.toNanos(1);
        return new ImportReport(accepted(), stored, updated, unchanged, rejected, rejectedCount, seconds);
    }

    private long accepted() {
        return stored + updated + unchanged;
    }

    private Answer attempt(ImportFile file) {
        running = null;
        try (ImportUpload upload = ImportUpload.open(address, session);
                ImportLines source = file.open()) {
            Answer answer = send(upload, source);
            if (answer.isSuccess()) {
                count(answer.json(), source);
            }
            return answer;
        } catch (IOException e) {
            throw interrupted(file, "reading stopped: " + e.getMessage());
        } catch (CommandFailedException e) {
            if (running == null && lines == 0) {
                throw e;
            }
            throw interrupted(file, String.valueOf(e.getMessage()));
        }
    }

    private Answer send(ImportUpload upload, ImportLines source) throws IOException {
        long skip = lines;
        // Standard input is read only once the gateway wants it: it cannot be read twice.
        while (!upload.isOver()) {
            byte[] line = source.next();
            if (line == null) {
                break;
            }
            if (skip > 0) {
                skip--;
                continue;
            }
            upload.send(line);
            if (source.mayBlock()) {
                upload.flush();
            }
            show(upload, source);
        }
        upload.end();
        Answer answer = upload.answer(0);
        while (answer == null) {
            answer = upload.answer(LOOK_EVERY_MILLIS);
            show(upload, source);
        }
        return answer;
    }

    private void show(ImportUpload upload, ImportLines source) {
        running = upload.progress();
        JsonObject now = running;
        long here = now == null ? 0 : number(now, "stored") + number(now, "updated") + number(now, "unchanged");
        progress.show(accepted() + here, source.position(), source.size());
    }

    private void count(JsonObject last, ImportLines source) {
        stored += number(last, "stored");
        updated += number(last, "updated");
        unchanged += number(last, "unchanged");
        rejectedCount += number(last, "rejected_count");
        JsonArray list = last.getValue("rejected") instanceof JsonArray array ? array : new JsonArray();
        for (Object value : list) {
            if (value instanceof JsonObject one) {
                reject(new SourceItem.Damaged(
                        source.place(lines + number(one, "line")),
                        String.valueOf(one.getValue("code")),
                        String.valueOf(one.getValue("detail"))));
            }
        }
        lines += number(last, "lines");
        if (Boolean.TRUE.equals(last.getValue("done"))) {
            source.damaged().forEach(this::reject);
            rejectedCount += source.damaged().size();
        }
    }

    private void reject(SourceItem.Damaged damaged) {
        if (rejected.size() < ImportReport.MAX_LISTED) {
            rejected.add(damaged);
        }
    }

    private static long number(JsonObject object, String field) {
        return object.getValue(field) instanceof Number number ? number.longValue() : 0;
    }

    private CommandFailedException interrupted(ImportFile file, String why) {
        JsonObject now = running;
        long here = now == null ? 0 : number(now, "stored") + number(now, "updated") + number(now, "unchanged");
        String next = file.isStandardInput()
                ? "run it again: memories with an external_id are not stored twice, others are"
                : "run it again: no memory of the same file is stored twice";
        return new CommandFailedException(why + " [" + (accepted() + here) + " memories are stored; " + next + "]");
    }
}
