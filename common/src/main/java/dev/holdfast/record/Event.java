package dev.holdfast.record;

import dev.holdfast.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record of {@code holdfast.events}. Its key is the user it is about; rosters, suspicions and
 * rules are written to a partition by number and have no key.
 */
public sealed interface Event {
  /**
   * Largest record of {@code holdfast.events} that is applied, in bytes of key, value and headers.
   * What comes of it must fit into deliveries, and a forward of it into the log; the broker's own
   * bound is on compressed batches and says nothing about that.
   */
  int MAX_RECORD = (1 << 20) - 4096;

  /** Dispatch that the compiler checks for completeness. */
  interface Cases {
    void message(Message e);

    void connect(Connect e);

    void disconnect(Disconnect e);

    void ack(Ack e);

    void resync(Resync e);

    void roster(Roster e);

    void suspect(Suspect e);

    void leave(Leave e);

    void expire(Expire e);

    void kick(Kick e);

    void rules(RulesChange e);

    void query(Query e);
  }

  /** Calls the case that fits this event. */
  void match(Cases cases);

  /** The value's {@code type}. */
  String type();

  /** Whether the event is about one user, so that its key decides the partition. */
  default boolean keyed() {
    return true;
  }

  /**
   * A message for the user in the key.
   *
   * @param from the sender
   * @param clientId the sending installation; empty for HTTP and for backends
   * @param clientMsgId the sender's own id; absent only where a backend wrote to Kafka itself
   */
  record Message(String from, String clientId, @Nullable String clientMsgId, RawJson payload)
      implements Event {
    @Override
    public void match(Cases cases) {
      cases.message(this);
    }

    @Override
    public String type() {
      return "message";
    }
  }

  /**
   * A client said hello at an edge.
   *
   * @param lastSeq its cursor; absent when it never had one
   * @param epoch the epoch its cursor belongs to
   * @param attempt larger at each connection of this client
   */
  record Connect(
      String clientId,
      String connId,
      EdgeRef edge,
      @Nullable Long lastSeq,
      @Nullable String epoch,
      @Nullable Long attempt)
      implements Event {
    @Override
    public void match(Cases cases) {
      cases.connect(this);
    }

    @Override
    public String type() {
      return "connect";
    }
  }

  /** A connection ended at its edge. */
  record Disconnect(String clientId, String connId, EdgeRef edge, String reason) implements Event {
    @Override
    public void match(Cases cases) {
      cases.disconnect(this);
    }

    @Override
    public String type() {
      return "disconnect";
    }
  }

  /** Everything up to {@code seq} was handed to the app of this client. */
  record Ack(String clientId, String connId, EdgeRef edge, long seq) implements Event {
    @Override
    public void match(Cases cases) {
      cases.ack(this);
    }

    @Override
    public String type() {
      return "ack";
    }
  }

  /**
   * The edge saw a gap and wants everything after {@code from} again.
   *
   * @param synced whether the client already has its {@code sync}
   */
  record Resync(String clientId, String connId, EdgeRef edge, long from, boolean synced)
      implements Event {
    @Override
    public void match(Cases cases) {
      cases.resync(this);
    }

    @Override
    public String type() {
      return "resync";
    }
  }

  /**
   * An edge's sign of life for one partition of events.
   *
   * @param count how many of its connections belong to users of this partition
   * @param digest exclusive or of {@link ConnDigest} over them
   * @param connections the connections themselves, when the other side asked for them
   */
  record Roster(EdgeRef edge, int count, long digest, @Nullable List<Entry> connections)
      implements Event {
    /** One connection. */
    public record Entry(String user, String clientId, String connId) {}

    @Override
    public void match(Cases cases) {
      cases.roster(this);
    }

    @Override
    public String type() {
      return "roster";
    }

    @Override
    public boolean keyed() {
      return false;
    }
  }

  /**
   * A proposal: this edge has been silent. The second one, a roster interval after the first and
   * with no roster between, ends its lease (D10).
   *
   * @param rosterOffset offset of the last roster the proposer knew
   */
  record Suspect(String edgeKey, long rosterOffset) implements Event {
    @Override
    public void match(Cases cases) {
      cases.suspect(this);
    }

    @Override
    public String type() {
      return "suspect";
    }

    @Override
    public boolean keyed() {
      return false;
    }
  }

  /** A proposal: the user has been gone long enough to be called offline. */
  record Leave() implements Event {
    @Override
    public void match(Cases cases) {
      cases.leave(this);
    }

    @Override
    public String type() {
      return "leave";
    }
  }

  /** A proposal: something in the user's mailbox is older than it is kept. */
  record Expire() implements Event {
    @Override
    public void match(Cases cases) {
      cases.expire(this);
    }

    @Override
    public String type() {
      return "expire";
    }
  }

  /**
   * An operator ends the connections that the user has now (4410). What connects later in the log
   * is not concerned.
   *
   * @param clientId the one client that is meant; absent: all of the user's
   */
  record Kick(@Nullable String clientId) implements Event {
    @Override
    public void match(Cases cases) {
      cases.kick(this);
    }

    @Override
    public String type() {
      return "kick";
    }
  }

  /** From here on these rules hold in this partition. */
  record RulesChange(Rules rules) implements Event {
    @Override
    public void match(Cases cases) {
      cases.rules(this);
    }

    @Override
    public String type() {
      return "rules";
    }

    @Override
    public boolean keyed() {
      return false;
    }
  }

  /**
   * Somebody wants to read the user's mailbox; answered with a {@link Delivery.Kind#HISTORY}.
   * Changes nothing, so whoever rebuilds rows from the log may pass it over.
   *
   * @param queryId names the question to the edge that asks
   * @param after the answer begins behind this seq
   * @param limit most messages in the answer, 1 to {@link #MAX_LIMIT}
   * @param epoch the mailbox that is meant; absent: whichever there is
   */
  record Query(String queryId, EdgeRef edge, long after, int limit, @Nullable String epoch)
      implements Event {
    /** Largest {@code limit}. */
    public static final int MAX_LIMIT = 1_000;

    @Override
    public void match(Cases cases) {
      cases.query(this);
    }

    @Override
    public String type() {
      return "query";
    }
  }
}
