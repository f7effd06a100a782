package dev.holdfast.edge.presence;

import dev.holdfast.JsonIo;
import dev.holdfast.RawJson;
import dev.holdfast.frame.ServerFrames;
import org.jspecify.annotations.Nullable;

/** What is known of one user: the newest record of {@code holdfast.presence}. Immutable. */
public final class PresenceState {
  /** What a record costs in memory beside its user's name and its clients, in bytes. */
  private static final int OVERHEAD = 160;

  private static final long NO_RECORD = -1;
  private static final RawJson NOBODY = RawJson.of("[]");

  private final String user;
  private final boolean online;
  private final long since;
  private final long lastSeen;
  private final RawJson clients;
  private final int clientCount;
  private final long rev;

  /** The frame, made when it is first asked for: the same bytes for every watcher. */
  private volatile byte @Nullable [] frame;

  /**
   * @param since when the status began, milliseconds since 1970; 0 without a record
   * @param lastSeen when a connection last ended, milliseconds since 1970; 0 if none did
   * @param clients what is connected, a JSON array
   * @param clientCount its length
   * @param rev offset of the causing event in {@code holdfast.events}
   */
  PresenceState(
      String user,
      boolean online,
      long since,
      long lastSeen,
      RawJson clients,
      int clientCount,
      long rev) {
    this.user = user;
    this.online = online;
    this.since = since;
    this.lastSeen = lastSeen;
    this.clients = clientCount == 0 ? NOBODY : clients;
    this.clientCount = clientCount;
    this.rev = rev;
  }

  /** A user without a record: nobody of that name was connected as long as records are kept. */
  static PresenceState none(String user) {
    return new PresenceState(user, false, 0, 0, NOBODY, 0, NO_RECORD);
  }

  /** The same, given up for whatever comes next. */
  PresenceState outdated() {
    return new PresenceState(user, online, since, lastSeen, clients, clientCount, NO_RECORD);
  }

  /** Whether the user is online. */
  public boolean online() {
    return online;
  }

  String user() {
    return user;
  }

  /**
   * Whether this record came about after {@code other}. Of one event's several records, as when an
   * edge lapses that had several of the user's clients, each has fewer clients than the one before.
   */
  boolean newerThan(PresenceState other) {
    return rev > other.rev || (rev == other.rev && clientCount < other.clientCount);
  }

  /** Whether watchers would learn nothing new; when somebody online was last seen is no news. */
  boolean saysTheSame(PresenceState other) {
    return online == other.online && since == other.since && (online || lastSeen == other.lastSeen);
  }

  /** What it costs in memory, in bytes, estimated high. */
  int bytes() {
    return OVERHEAD + 2 * user.length() + (clientCount == 0 ? 0 : clients.size() + 32);
  }

  /** The {@code presence} frame; shared, not to be changed. */
  public byte[] frame() {
    byte[] made = frame;
    if (made == null) {
      made = ServerFrames.presence(user, status(), since, lastSeen);
      frame = made;
    }
    return made;
  }

  /** The answer over HTTP. */
  public byte[] body() {
    return JsonIo.write(
        out -> {
          out.writeStartObject();
          out.writeStringField("user", user);
          out.writeStringField("status", status());
          out.writeNumberField("since", since);
          out.writeNumberField("lastSeen", lastSeen);
          out.writeFieldName("clients");
          JsonIo.writeRaw(out, clients);
          out.writeEndObject();
        });
  }

  private String status() {
    return online ? "online" : "offline";
  }

  @Override
  public String toString() {
    return user + ' ' + status() + " since " + since + " rev " + rev;
  }
}
