package dev.holdfast.edge.session;

import dev.holdfast.frame.CloseCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What the log says of single connections: each step at TRACE, each end at DEBUG with the fields
 * {@code connId user clientId state code reason durationMs}. Not at INFO, since a restart of one
 * proxy would be tens of thousands of lines; there {@code TrafficLog} tells sums. Never a token, a
 * session token or a payload.
 */
final class SessionLog {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLog.class);

  private SessionLog() {}

  /**
   * A connection changed its state.
   *
   * @param who null before its hello
   * @param from the state it was in, which is also the one it ended in
   * @param why the reason of the close, for an end
   * @param ms since its upgrade
   */
  static void became(
      String connId, @Nullable Who who, Enum<?> from, Enum<?> to, String why, long ms) {
    LOG.atTrace().log("{} {} -> {}: {}", connId, from, to, why);
    if (to.name().equals("ENDED") && LOG.isDebugEnabled()) {
      LoggingEventBuilder line = LOG.atDebug().addKeyValue("connId", connId);
      if (who != null) {
        line = line.addKeyValue("user", who.user()).addKeyValue("clientId", who.clientId());
      }
      line = line.addKeyValue("state", from);
      int code = code(why);
      if (code > 0) {
        line = line.addKeyValue("code", code);
      }
      line.addKeyValue("reason", why).addKeyValue("durationMs", ms).log("connection ended");
    }
  }

  /** The close code of that reason; 0 when the client or the network ended the connection. */
  private static int code(String reason) {
    for (CloseCode code : CloseCode.values()) {
      if (code.reason().equals(reason)) {
        return code.code();
      }
    }
    return 0;
  }
}
