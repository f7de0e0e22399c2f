package io.recallgate.gateway.probe;

import io.recallgate.gateway.probe.ProbeView.Settled;
import io.recallgate.time.Deadline;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** What operators see of probes and can do with them. Any thread. */
public interface ProbeOperations {

    /** All of them as they are now. Starts nothing. */
    List<ProbeReport> reports();

    /**
     * Runs one now, whatever floor and back-off say, or joins the attempt on its way.
     *
     * @param deadline when the caller stops waiting; nothing is begun that may take longer
     * @return empty if there is no such probe; fails with {@code not-ready}, {@code shutting-down}, {@code overloaded} or
     *     {@code deadline-exceeded}
     */
    Optional<Future<Settled>> run(ProbeName name, Deadline deadline);
}
