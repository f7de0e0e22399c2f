package io.recallgate.embedding.pool;

/** What {@code ./recallgate test --simulate} runs: schedules from a seed on, with progress. */
public final class SimulationMain {

    private static final long LINE_MILLIS = 5_000;
    private static final long TERMINAL_MILLIS = 200;

    private SimulationMain() {}

    /**
     * Exits with 0 if all schedules are good, with 1 after the first that is not.
     *
     * @param arguments the number of schedules and the first seed, checked by the script
     */
    public static void main(String[] arguments) throws InterruptedException {
        long schedules = Long.parseLong(arguments[0]);
        long seed = Long.parseLong(arguments[1]);
        SimulationRun run = new SimulationRun(seed, schedules);
        long begin = System.nanoTime();
        Thread progress = new Thread(() -> report(run, schedules), "progress");
        progress.setDaemon(true);
        progress.start();
        SimulationRun.Failure failure = run.onAllProcessors();
        progress.interrupt();
        progress.join();
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (failure != null) {
            failure.cause().printStackTrace();
            System.err.println(failure.words());
            System.exit(1);
        }
        System.out.printf(
                "%d schedules from seed %d kept every invariant; %d waiters settled; %.1f s%n",
                schedules, seed, run.settled(), seconds);
    }

    private static void report(SimulationRun run, long schedules) {
        boolean terminal = Boolean.getBoolean("recallgate.terminal.err");
        try {
            while (true) {
                Thread.sleep(terminal ? TERMINAL_MILLIS : LINE_MILLIS);
                System.err.print((terminal ? "\r" : "") + run.begun() + " of " + schedules + " schedules"
                        + (terminal ? "" : "\n"));
            }
        } catch (InterruptedException e) {
            if (terminal) {
                System.err.print("\r\033[K");
            }
        }
    }
}
