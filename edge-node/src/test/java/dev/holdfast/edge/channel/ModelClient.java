package dev.holdfast.edge.channel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.channel.ModelLog.Rec;
import dev.holdfast.edge.session.Channels;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A client of one channel over many connections: it keeps its position as a client does, and knows
 * from the {@link ModelLog} what each frame must be.
 */
final class ModelClient implements Channels.Listener {
  /** Bytes that each frame counts in the queue, so that a few fill it. */
  private static final int FRAME_BYTES = 60_000;

  /** Bytes that a record is taken for where none is there to be measured. */
  private static final int MOST_BYTES = 1_024;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * What the client knows after a frame.
   *
   * @param position what it gives back; null: nothing yet
   * @param base offset of the last {@code recovered=false}
   * @param next offset of the position
   * @param had events that it was handed since ever
   * @param shown newest value; null: none
   */
  private record State(
      @Nullable String position,
      String topic,
      long base,
      long next,
      int had,
      @Nullable String shown) {}

  private final ModelLog log;
  private final Namespace namespace;
  private final String key;
  private final ChannelLimits limits;
  private final List<Integer> had = new ArrayList<>();
  private final Deque<State> queue = new ArrayDeque<>();
  private final List<String> trail = new ArrayList<>();
  private State drained = new State(null, "", 0, 0, 0, null);
  private State sent = drained;
  private @Nullable Subscription subscription;
  private @Nullable ModelEdge edge;
  private int connection;
  private boolean told;
  private boolean gone;
  private long intervalMs;
  private long lastMs;

  ModelClient(ModelLog log, Namespace namespace, String key, ChannelLimits limits) {
    this.log = log;
    this.namespace = namespace;
    this.key = key;
    this.limits = limits;
  }

  boolean connected() {
    return subscription != null && !gone;
  }

  void connect(ModelEdge to, double maxRate, ChannelCounters counters) {
    edge = to;
    connection++;
    told = false;
    gone = false;
    queue.clear();
    sent = drained;
    while (had.size() > drained.had()) {
      had.remove(had.size() - 1);
    }
    intervalMs = maxRate == 0 ? 0 : (long) Math.ceil(1_000 / maxRate);
    lastMs = Long.MIN_VALUE / 2;
    String position = drained.position();
    int mine = connection;
    subscription =
        new Subscription(
            namespace,
            new ChannelName(namespace.prefix(), key),
            position == null ? null : Position.parse(position),
            maxRate,
            new Guard(mine),
            counters,
            to::leave);
    trail.add("connect #" + mine + " at " + position);
    to.subscribe(subscription);
  }

  /** Frames of an older connection must not come to the newer one. */
  private final class Guard implements Channels.Listener {
    private final int mine;

    Guard(int mine) {
      this.mine = mine;
    }

    @Override
    public void send(byte[] frame) {
      if (mine == connection) {
        ModelClient.this.send(frame);
      } else {
        check(!type(frame).equals("event"), "an event on a connection that is closed");
      }
    }

    @Override
    public long queued() {
      return mine == connection ? ModelClient.this.queued() : 0;
    }

    @Override
    public void unavailable(String why) {
      if (mine == connection) {
        ModelClient.this.unavailable(why);
      }
    }

    @Override
    public void stalled() {
      if (mine == connection) {
        ModelClient.this.stalled();
      }
    }
  }

  void disconnect() {
    Subscription s = subscription;
    if (s != null) {
      trail.add("disconnect");
      gone = true;
      s.close();
    }
  }

  /** Asks for what comes after its position, which it has got from this topic's log. */
  void ask(ModelEdge whom) {
    Position position = drained.position() == null ? null : Position.parse(drained.position());
    if (position != null && position.topic().equals(log.tag())) {
      whom.past(key, position, new ModelPast(log, key, position));
    }
  }

  /** Takes some of what waits. */
  void drain(int frames) {
    for (int i = 0; i < frames && !queue.isEmpty(); i++) {
      drained = queue.remove();
    }
  }

  boolean drained() {
    return queue.isEmpty();
  }

  @Override
  public long queued() {
    return (long) queue.size() * FRAME_BYTES;
  }

  @Override
  public void unavailable(String why) {
    trail.add("unavailable: " + why);
    gone = true;
  }

  @Override
  public void stalled() {
    disconnect();
  }

  @Override
  public void send(byte[] frame) {
    JsonNode read = parse(frame);
    trail.add(read.toString());
    String type = read.path("type").asText();
    check(!gone || !type.equals("event"), "an event after the end");
    String text = read.path("position").asText();
    Position at = Objects.requireNonNull(Position.parse(text));
    switch (type) {
      case "subscribed" -> subscribed(read, text, at);
      case "event" -> event(read, text, at);
      default -> progress(text, at);
    }
    queue.add(sent);
  }

  private void subscribed(JsonNode read, String text, Position at) {
    told = true;
    if (read.path("recovered").asBoolean()) {
      check(text.equals(sent.position()), "recovered, but from elsewhere");
      become(text, at, sent.base(), sent.shown());
      return;
    }
    String reason = read.path("reason").asText();
    boolean right =
        switch (reason) {
          case "new" -> sent.position() == null;
          case "gap" -> sent.next() < log.start();
          case "too_far" -> (log.end() - sent.next()) * MOST_BYTES > limits.replayBytes();
          case "truncated" -> log.cutBelow(sent.next()) || untold();
          case "recreated" -> true;
          default -> false;
        };
    boolean otherTopic = !sent.topic().equals(log.tag());
    check(otherTopic || (right && !reason.equals("recreated")), "no reason: " + read);
    become(text, at, at.next(), null);
  }

  /** Whether it may have been cut off there, for all that the log has kept. */
  private boolean untold() {
    Position stood = Position.parse(Objects.requireNonNull(sent.position()));
    return namespace.mode() == Mode.STREAM
        && stood != null
        && log.nothingBefore(sent.next())
        && stood.epoch() < log.epochFrom(sent.next());
  }

  private void event(JsonNode read, String text, Position at) {
    check(told, "an event before anything was said");
    check(at.next() > sent.next(), "an event again, or older ones after newer ones");
    long offset = at.next() - 1;
    String value = read.path("payload").isNull() ? null : read.path("payload").asText();
    if (namespace.mode() == Mode.STREAM) {
      Rec rec = log.ever(read.path("ts").asInt());
      check(rec.key().equals(key) && rec.offset() == offset, "another record");
      check(Objects.equals(value, rec.value()), "another value");
      if (at.topic().equals(log.tag()) && offset < log.end() && rec.equals(log.at(offset))) {
        check(!log.surelyRepeat(rec), "a repeat");
      }
      complete(at, offset);
      had.add(rec.uid());
    } else {
      long nowMs = Objects.requireNonNull(edge).nowMs();
      check(nowMs - lastMs >= intervalMs, "more often than asked for");
      lastMs = nowMs;
    }
    become(text, at, sent.base(), value);
  }

  private void progress(String text, Position at) {
    check(told, "progress before anything was said");
    check(at.next() >= sent.next(), "progress back");
    if (namespace.mode() == Mode.STREAM) {
      complete(at, at.next());
    }
    become(text, at, sent.base(), sent.shown());
  }

  /** Where the log never changed, nothing may be missing at any time. */
  private void complete(Position at, long to) {
    if (log.cuts() == 0 && log.topics() == 0) {
      check(log.events(key, sent.next(), to).isEmpty(), "events before " + at.next() + " missing");
    }
  }

  private void become(String text, Position at, long base, @Nullable String shown) {
    sent = new State(text, at.topic(), base, at.next(), had.size(), shown);
  }

  /** All is quiet: it must have everything. */
  void settled() {
    if (!connected()) {
      return;
    }
    check(told, "nothing was ever said");
    check(sent.topic().equals(log.tag()), "the topic is another one, and nothing was said");
    if (namespace.mode() == Mode.STREAM) {
      for (Rec rec : log.events(key, sent.base(), log.end())) {
        check(had.contains(rec.uid()), "missing at " + rec.offset() + ": " + rec);
      }
      check(had.stream().distinct().count() == had.size(), "an event twice");
    } else {
      Rec newest = log.newest(key);
      String value = newest == null ? null : newest.value();
      check(Objects.equals(sent.shown(), value), "shown " + sent.shown() + " instead of " + value);
    }
  }

  private void check(boolean right, String wrong) {
    if (!right) {
      List<String> last = trail.subList(Math.max(0, trail.size() - 25), trail.size());
      throw new AssertionError(wrong + "; client of " + key + ":\n" + String.join("\n", last));
    }
  }

  private static String type(byte[] frame) {
    return parse(frame).path("type").asText();
  }

  private static JsonNode parse(byte[] frame) {
    try {
      return JSON.readTree(frame);
    } catch (IOException e) {
      throw new AssertionError("not JSON", e);
    }
  }
}
