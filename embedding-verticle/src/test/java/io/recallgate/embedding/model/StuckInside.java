package io.recallgate.embedding.model;

import java.util.concurrent.CountDownLatch;

/** A thread that entered native code and never comes back, as far as the gate can tell. */
public final class StuckInside {

    private StuckInside() {}

    /** Returns once the thread is inside. */
    public static void enter() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        Thread thread = new Thread(
                () -> {
                    NativeGate.process().enter("a run that never returns");
                    inside.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "stuck");
        thread.setDaemon(true);
        thread.start();
        inside.await();
    }
}
