package dev.holdfast.client;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the application wants to be told; set by any thread. */
final class Handlers {
  volatile @Nullable Function<Message, CompletionStage<?>> message;
  volatile @Nullable Function<History, CompletionStage<?>> history;
  volatile @Nullable Function<ChannelEvent, CompletionStage<?>> event;
  volatile @Nullable Consumer<StateChange> state;
  volatile @Nullable Consumer<Subscribed> subscribed;
  volatile @Nullable Consumer<Unsubscribed> unsubscribed;
  volatile @Nullable Consumer<Presence> presence;
  volatile @Nullable Consumer<Sent> sent;
  volatile @Nullable Consumer<Dropped> dropped;
  volatile @Nullable Consumer<Telemetry> telemetry;
}
