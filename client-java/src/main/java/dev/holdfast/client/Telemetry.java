package dev.holdfast.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.rules.Json;
import org.jspecify.annotations.Nullable;

/**
 * What happened, for operators; docs/clients.md lists the types.
 *
 * @param time milliseconds since 1970
 * @param connId the server's name of the connection; null without one
 * @param attempt the failure count
 * @param delayMs null where there is no delay
 * @param reason null where there is none
 * @param code the close code or the HTTP status; null without
 * @param durationMs null where nothing lasted
 */
public record Telemetry(
    String type,
    long time,
    State state,
    @Nullable String connId,
    int attempt,
    @Nullable Long delayMs,
    @Nullable String reason,
    @Nullable Integer code,
    @Nullable Long durationMs) {

  /** As JSON; what is null is left out. */
  public String toJson() {
    ObjectNode json = Json.object().put("type", type).put("time", time).put("state", state.label());
    if (connId != null) {
      json.put("connId", connId);
    }
    json.put("attempt", attempt);
    if (delayMs != null) {
      json.put("delayMs", delayMs);
    }
    if (reason != null) {
      json.put("reason", reason);
    }
    if (code != null) {
      json.put("code", code);
    }
    if (durationMs != null) {
      json.put("durationMs", durationMs);
    }
    return json.toString();
  }
}
