package dev.holdfast.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * The basics of the JVM. Micrometer's own metrics of garbage collection are not used: they listen
 * to notifications, and half of them exist only once something was collected.
 */
final class JvmMetrics {
  private JvmMetrics() {}

  static void bind(MeterRegistry registry) {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    for (GarbageCollectorMXBean gc : ManagementFactory.getGarbageCollectorMXBeans()) {
      FunctionCounter.builder("jvm.gc.collections", gc, GarbageCollectorMXBean::getCollectionCount)
          .description("Garbage collections")
          .tag("gc", gc.getName())
          .register(registry);
      FunctionCounter.builder("jvm.gc.time.seconds", gc, bean -> bean.getCollectionTime() / 1e3)
          .description("Seconds spent in garbage collections")
          .tag("gc", gc.getName())
          .register(registry);
    }
  }
}
