package dev.holdfast.delivery.presence;

import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.delivery.mailbox.Client;
import dev.holdfast.delivery.mailbox.Mailbox;

/**
 * The value in {@code holdfast.presence}: {@code {user, status, since, lastSeen, clients, rev}}.
 * {@code rev} is the offset of the causing event; readers drop lower ones (D15).
 */
final class PresenceRecord {
  private PresenceRecord() {}

  static RawJson of(Mailbox box, long rev) {
    return RawJson.of(
        JsonIo.write(
            out -> {
              out.writeStartObject();
              out.writeStringField("user", box.user());
              out.writeStringField("status", box.online() ? "online" : "offline");
              out.writeNumberField("since", box.statusSince());
              out.writeNumberField("lastSeen", box.lastSeen());
              out.writeArrayFieldStart("clients");
              for (Client c : box.clients()) {
                if (c.live()) {
                  out.writeStartObject();
                  out.writeStringField("clientId", c.clientId());
                  out.writeStringField("edge", c.edge().id());
                  out.writeNumberField("since", c.since());
                  out.writeEndObject();
                }
              }
              out.writeEndArray();
              out.writeNumberField("rev", rev);
              out.writeEndObject();
            }));
  }
}
