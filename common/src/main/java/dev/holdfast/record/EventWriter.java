package dev.holdfast.record;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.holdfast.JsonIo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes events as the self-describing JSON that lies in {@code holdfast.events}. */
public final class EventWriter {
  private EventWriter() {}

  /** The value of the event's record. */
  public static byte[] write(Event event) {
    return JsonIo.write(
        out -> {
          out.writeStartObject();
          out.writeStringField("type", event.type());
          event.match(new Fields(out));
          out.writeEndObject();
        });
  }

  /** Writes each kind's own fields. */
  private static final class Fields implements Event.Cases {
    private final JsonGenerator out;

    Fields(JsonGenerator out) {
      this.out = out;
    }

    private interface Step {
      void write() throws IOException;
    }

    private static void fields(Step step) {
      try {
        step.write();
      } catch (IOException e) {
        throw new UncheckedIOException("writing to memory cannot fail", e);
      }
    }

    @Override
    public void message(Event.Message e) {
      fields(
          () -> {
            out.writeStringField("from", e.from());
            if (!e.clientId().isEmpty()) {
              out.writeStringField("clientId", e.clientId());
            }
            if (e.clientMsgId() != null) {
              out.writeStringField("clientMsgId", e.clientMsgId());
            }
            out.writeFieldName("payload");
            JsonIo.writeRaw(out, e.payload());
          });
    }

    @Override
    public void connect(Event.Connect e) {
      fields(
          () -> {
            connection(e.clientId(), e.connId(), e.edge());
            optional("lastSeq", e.lastSeq());
            if (e.epoch() != null) {
              out.writeStringField("epoch", e.epoch());
            }
            optional("attempt", e.attempt());
          });
    }

    @Override
    public void disconnect(Event.Disconnect e) {
      fields(
          () -> {
            connection(e.clientId(), e.connId(), e.edge());
            out.writeStringField("reason", e.reason());
          });
    }

    @Override
    public void ack(Event.Ack e) {
      fields(
          () -> {
            connection(e.clientId(), e.connId(), e.edge());
            out.writeNumberField("seq", e.seq());
          });
    }

    @Override
    public void resync(Event.Resync e) {
      fields(
          () -> {
            connection(e.clientId(), e.connId(), e.edge());
            out.writeNumberField("seq", e.from());
            out.writeBooleanField("synced", e.synced());
          });
    }

    @Override
    public void roster(Event.Roster e) {
      fields(
          () -> {
            edge(e.edge());
            out.writeNumberField("count", e.count());
            out.writeNumberField("digest", e.digest());
            List<Event.Roster.Entry> connections = e.connections();
            if (connections != null) {
              out.writeArrayFieldStart("connections");
              for (Event.Roster.Entry c : connections) {
                out.writeStartArray();
                out.writeString(c.user());
                out.writeString(c.clientId());
                out.writeString(c.connId());
                out.writeEndArray();
              }
              out.writeEndArray();
            }
          });
    }

    @Override
    public void suspect(Event.Suspect e) {
      fields(
          () -> {
            out.writeStringField("edgeKey", e.edgeKey());
            out.writeNumberField("rosterOffset", e.rosterOffset());
          });
    }

    @Override
    public void leave(Event.Leave e) {
      // The key says whose; there is nothing else to say.
    }

    @Override
    public void expire(Event.Expire e) {
      // The key says whose; there is nothing else to say.
    }

    @Override
    public void kick(Event.Kick e) {
      fields(
          () -> {
            if (e.clientId() != null) {
              out.writeStringField("clientId", e.clientId());
            }
          });
    }

    @Override
    public void rules(Event.RulesChange e) {
      fields(
          () -> {
            out.writeFieldName("rules");
            RulesCodec.write(out, e.rules());
          });
    }

    @Override
    public void query(Event.Query e) {
      fields(
          () -> {
            out.writeStringField("queryId", e.queryId());
            edge(e.edge());
            out.writeNumberField("after", e.after());
            out.writeNumberField("limit", e.limit());
            if (e.epoch() != null) {
              out.writeStringField("epoch", e.epoch());
            }
          });
    }

    private void connection(String clientId, String connId, EdgeRef edge) throws IOException {
      out.writeStringField("clientId", clientId);
      out.writeStringField("connId", connId);
      edge(edge);
    }

    private void edge(EdgeRef edge) throws IOException {
      out.writeObjectFieldStart("edge");
      out.writeStringField("id", edge.id());
      out.writeStringField("inc", edge.incarnation());
      out.writeNumberField("part", edge.partition());
      out.writeEndObject();
    }

    private void optional(String name, @Nullable Long value) throws IOException {
      if (value != null) {
        out.writeNumberField(name, value);
      }
    }
  }
}
