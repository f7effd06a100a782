package dev.holdfast.edge.session;

import dev.holdfast.RawJson;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Position;
import dev.holdfast.frame.ErrorCode;
import org.jspecify.annotations.Nullable;

/** No namespaces, so nothing is ever asked of it. */
final class NoChannels implements Channels {
  @Override
  public int mostPerConnection() {
    return 0;
  }

  @Override
  public PastLimits pastLimits() {
    return new PastLimits(0, 0, 0, 0);
  }

  @Override
  public @Nullable Namespace namespace(ChannelName channel) {
    return null;
  }

  @Override
  public @Nullable Handle subscribe(
      Namespace namespace,
      ChannelName channel,
      @Nullable Position from,
      double maxRate,
      Listener to) {
    return null;
  }

  @Override
  public void publish(
      Namespace namespace,
      ChannelName channel,
      String msgId,
      String from,
      RawJson payload,
      Published outcome) {
    outcome.refused(ErrorCode.UNSUPPORTED, "this server does not serve channels");
  }

  @Override
  public boolean past(
      Namespace namespace, ChannelName channel, @Nullable Position after, int limit, Past to) {
    return false;
  }
}
