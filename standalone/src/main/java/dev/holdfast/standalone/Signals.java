package dev.holdfast.standalone;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGTERM and Ctrl-C: the first one ends the process in order, the second one at once, with status
 * 143 or 130.
 *
 * <p>The JVM by itself runs its shutdown hooks at the first signal and ignores all later ones, and
 * has no public API for signals. {@code sun.misc.Signal} of the module {@code jdk.unsupported} is
 * there in every JDK since 1.2 and is not deprecated; the compiler warns of it and has no way to be
 * told otherwise, so it is reached by reflection. Where it is not to be had (a JVM run with {@code
 * -Xrs}, or without that module) the JVM's own behaviour stays, and a second signal is ignored.
 */
final class Signals {
  private static final int SIGNALLED = 128;
  private static final Map<String, Integer> NUMBERS = Map.of("INT", 2, "TERM", 15);
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /** Has the first signal call {@link System#exit} and the second end the JVM at once. */
  static void endAtOnceOnTheSecond() {
    AtomicBoolean ending = new AtomicBoolean();
    NUMBERS.forEach(
        (name, number) -> {
          try {
            handle(name, () -> received(name, SIGNALLED + number, ending));
          } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.debug("a second signal {} will be ignored: {}", name, e.toString());
          }
        });
  }

  /** Runs on a thread of its own, one a signal. */
  private static void received(String name, int status, AtomicBoolean ending) {
    if (ending.compareAndSet(false, true)) {
      System.exit(0); // the shutdown hook chooses the status
    } else {
      System.err.println("holdfast: a second signal (" + name + "): ending at once");
      System.err.flush();
      Runtime.getRuntime().halt(status);
    }
  }

  private static void handle(String name, Runnable received) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object told =
        Proxy.newProxyInstance(
            Signals.class.getClassLoader(),
            new Class<?>[] {handler},
            (proxy, method, args) -> {
              switch (method.getName()) {
                case "handle" -> received.run();
                case "hashCode" -> {
                  return System.identityHashCode(proxy);
                }
                case "equals" -> {
                  return proxy == args[0];
                }
                default -> {
                  return "holdfast's handler";
                }
              }
              return null;
            });
    Object named = signal.getConstructor(String.class).newInstance(name);
    Object unused = signal.getMethod("handle", signal, handler).invoke(null, named, told);
  }
}
