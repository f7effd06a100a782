package dev.holdfast.client;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/** A telemetry event in the making; it goes to the application and to the log. */
final class Telling {
  private static final Logger LOG = LoggerFactory.getLogger(HoldfastClient.class);

  private final Core core;
  private final String type;
  private @Nullable Long delayMs;
  private @Nullable String reason;
  private @Nullable Integer code;
  private @Nullable Long durationMs;
  private @Nullable Throwable error;

  Telling(Core core, String type) {
    this.core = core;
    this.type = type;
  }

  Telling delay(long ms) {
    delayMs = ms;
    return this;
  }

  Telling reason(@Nullable String text) {
    reason = text;
    return this;
  }

  Telling code(int number) {
    code = number;
    return this;
  }

  Telling lasted(long ms) {
    durationMs = ms;
    return this;
  }

  /** For the log only: it may say what the application wants to keep to itself. */
  Telling error(Throwable cause) {
    error = cause;
    return this;
  }

  void tell() {
    Machine machine = core.machine();
    Telemetry event =
        new Telemetry(
            type,
            core.env().now(),
            machine.state(),
            machine.connId(),
            machine.failures(),
            delayMs,
            reason,
            code,
            durationMs);
    log(event);
    core.tell("telemetry", core.handlers().telemetry, event);
  }

  private void log(Telemetry event) {
    boolean bad = error != null || type.equals("final") || type.equals("gave_up");
    LoggingEventBuilder line = LOG.atLevel(bad ? Level.WARN : Level.DEBUG);
    if (error != null) {
      line = line.setCause(error);
    }
    line.addKeyValue("connId", event.connId())
        .addKeyValue("state", event.state().label())
        .addKeyValue("attempt", event.attempt())
        .addKeyValue("delay", delayMs)
        .addKeyValue("reason", reason)
        .addKeyValue("code", code)
        .addKeyValue("duration", durationMs)
        .log(type);
  }
}
