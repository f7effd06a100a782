package dev.holdfast.edge.presence;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who is online, for sessions and HTTP endpoints. Every method may be called from any thread and
 * returns at once; answers come on the presence thread.
 */
public interface Presence {
  /** Knows nothing and has room for nobody: for tests and simulations without presence. */
  Presence NONE =
      new Presence() {
        @Override
        public PresenceConfig limits() {
          return PresenceConfig.DEFAULT;
        }

        @Override
        public boolean reserve(int watches) {
          return false;
        }

        @Override
        public void watch(List<Watch> watches) {}

        @Override
        public void unwatch(Collection<Watch> watches) {}

        @Override
        public boolean lookup(String user, Consumer<@Nullable PresenceState> answer) {
          return false;
        }
      };

  /** What is bounded. */
  PresenceConfig limits();

  /**
   * Takes room for {@code watches} new ones from the node's; their end gives it back.
   *
   * @return false when the node has not so much left; nothing was taken
   */
  boolean reserve(int watches);

  /**
   * Begins these watches, for which there is room, or tells those that had begun anew. Each gets an
   * answer: {@link Watcher#changed} or {@link Watcher#gaveUp}.
   */
  void watch(List<Watch> watches);

  /** Ends these; answers under way may still come. */
  void unwatch(Collection<Watch> watches);

  /**
   * Asks once.
   *
   * @param answer gets the user's presence, or null when it cannot be known in time
   * @return false when too many are waiting; {@code answer} is then never called
   */
  boolean lookup(String user, Consumer<@Nullable PresenceState> answer);
}
