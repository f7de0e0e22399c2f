package io.recallgate.gateway.conversation.turn;

import java.util.List;

/** What has to hold of the order of phases, looked at when a gateway starts: their places in the enum are what it runs by. */
public final class PhaseOrder {

    private static final List<Phase> ORDER = List.of(
            Phase.ADMIT,
            Phase.DECODE,
            Phase.IDENTIFY,
            Phase.SELECT,
            Phase.FIT,
            Phase.ASSEMBLE,
            Phase.FORWARD,
            Phase.RELAY,
            Phase.COMMIT);

    private PhaseOrder() {}

    /** Checks the phases as they are. */
    public static void check() {
        check(List.of(Phase.values()));
    }

    /**
     * Checks an order.
     *
     * @throws IllegalStateException unless it is that of ARCHITECTURE, and the budget's phases are those between the decoded body
     *     and the sending
     */
    static void check(List<Phase> order) {
        require(order.equals(ORDER), order);
        for (int i = 0; i < order.size(); i++) {
            boolean prepares = i > order.indexOf(Phase.DECODE) && i < order.indexOf(Phase.FORWARD);
            require(order.get(i).isPreparation() == prepares, order);
        }
    }

    private static void require(boolean holds, List<Phase> order) {
        if (!holds) {
            throw new IllegalStateException("phases of turns cannot be in this order: " + order);
        }
    }
}
