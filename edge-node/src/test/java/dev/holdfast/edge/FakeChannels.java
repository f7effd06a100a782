package dev.holdfast.edge;

import dev.holdfast.RawJson;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespaces;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.session.Channels;
import dev.holdfast.frame.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The far side of {@link Channels} in memory: keeps what was asked for. */
public final class FakeChannels implements Channels {
  /** A position that parses. */
  public static final String POSITION = "kq3OQn9B.11.3.1";

  /** One subscription. */
  public static final class Subscribed implements Handle {
    public final ChannelName channel;
    public final @Nullable Position from;
    public final double maxRate;
    public final Listener to;
    public volatile boolean closed;

    private Subscribed(ChannelName channel, @Nullable Position from, double maxRate, Listener to) {
      this.channel = channel;
      this.from = from;
      this.maxRate = maxRate;
      this.to = to;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** One event that was published. */
  public record Posted(ChannelName channel, String msgId, String from, RawJson payload) {}

  public final List<Subscribed> subscribed = new CopyOnWriteArrayList<>();
  public final List<Posted> posted = new CopyOnWriteArrayList<>();
  public volatile @Nullable ErrorCode refusal;
  public volatile int most = 3;

  public volatile PastLimits past = new PastLimits(1_000, 1 << 20, 1 << 18, 200);
  public volatile List<byte[]> pastEvents = List.of();

  private final Namespaces namespaces =
      new Namespaces(
          List.of(
              Namespace.parse("rooms:publish=clients"),
              Namespace.parse("ticks:mode=latest:publish=backends"),
              Namespace.parse("news"),
              Namespace.parse("vip:private:publish=clients")));

  @Override
  public int mostPerConnection() {
    return most;
  }

  @Override
  public PastLimits pastLimits() {
    return past;
  }

  @Override
  public @Nullable Namespace namespace(ChannelName channel) {
    return namespaces.of(channel);
  }

  @Override
  public @Nullable Handle subscribe(
      Namespace namespace,
      ChannelName channel,
      @Nullable Position from,
      double maxRate,
      Listener to) {
    if (refusal != null) {
      return null;
    }
    Subscribed one = new Subscribed(channel, from, maxRate, to);
    subscribed.add(one);
    return one;
  }

  @Override
  public void publish(
      Namespace namespace,
      ChannelName channel,
      String msgId,
      String from,
      RawJson payload,
      Published outcome) {
    ErrorCode code = refusal;
    if (code != null) {
      outcome.refused(code, "as the test wants");
    } else {
      posted.add(new Posted(channel, msgId, from, payload));
      outcome.stored();
    }
  }

  @Override
  public boolean past(
      Namespace namespace, ChannelName channel, @Nullable Position after, int limit, Past to) {
    if (refusal == ErrorCode.OVERLOADED) {
      return false;
    }
    if (refusal != null) {
      to.unavailable("as the test wants");
      return true;
    }
    String event =
        "{\"type\":\"event\",\"channel\":\""
            + channel.text()
            + "\",\"position\":\""
            + POSITION
            + "\",\"ts\":1,\"payload\":"
            + limit
            + "}";
    List<byte[]> events =
        pastEvents.isEmpty() ? List.of(event.getBytes(StandardCharsets.UTF_8)) : pastEvents;
    to.events(events, POSITION, true, after == null ? null : "gap");
    return true;
  }
}
