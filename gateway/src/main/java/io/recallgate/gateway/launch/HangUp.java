package io.recallgate.gateway.launch;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes SIGHUP, which a closed terminal or a lost connection sends, an orderly stop. The virtual machine's own answer
 * is to exit at once: under a running model, and with PostgreSQL left behind. Where the signal was already ignored when
 * the process began, as {@code nohup} does, the virtual machine leaves it ignored, and the gateway lives on.
 */
final class HangUp {

    private static final Logger LOG = LoggerFactory.getLogger(HangUp.class);

    private HangUp() {}

    /**
     * Installs the handler.
     *
     * @param stop called for each such signal, on a thread of its own
     */
    static void install(Runnable stop) {
        try {
            // By reflection, as in ProcessSignals: the class belongs to no standard module.
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Method handle = signalType.getMethod("handle", signalType, handlerType);
            InvocationHandler dispatch = (proxy, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    LOG.info("SIGHUP: stopping");
                    stop.run();
                    yield null;
                }
                case "equals" -> proxy == (arguments == null ? null : arguments[0]);
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "handler of SIGHUP";
            };
            Object handler = Proxy.newProxyInstance(
                    MethodHandles.lookup().lookupClass().getClassLoader(), new Class<?>[] {handlerType}, dispatch);
            handle.invoke(null, signalType.getConstructor(String.class).newInstance("HUP"), handler);
        } catch (ReflectiveOperationException | RuntimeException noSuchSignal) {
            LOG.debug("SIGHUP cannot be handled here", noSuchSignal);
        }
    }
}
