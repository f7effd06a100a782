package dev.holdfast.standalone.relay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The connections through all relays, and what can be done to them by the tag that their clients
 * gave them. Thread-safe.
 */
public final class Links {
  /** Most connections through one relay at a time; beyond these a new one is reset. */
  public static final int MOST_PER_RELAY = 64;

  /** Most tags that can be offline at a time. */
  public static final int MOST_OFFLINE = 64;

  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9._~-]{1,64}");

  private final Set<Link> open = ConcurrentHashMap.newKeySet();
  private final Set<String> offline = new TreeSet<>();

  /**
   * One connection.
   *
   * @param bytesUp that went on from the client
   * @param bytesDown that went on to the client
   * @param ms how long it is open
   */
  public record View(
      String edge, @Nullable String tag, boolean frozen, long bytesUp, long bytesDown, long ms) {}

  /** Whether it may be a tag. */
  public static boolean isTag(String text) {
    return TAG.matcher(text).matches();
  }

  /** Resets the tag's connections; returns how many. */
  public int cut(String tag) {
    return each(tag, Link::cut);
  }

  /** Lets nothing pass through the tag's connections, without a word; returns how many. */
  public int freeze(String tag) {
    return each(tag, Link::freeze);
  }

  /** Lets pass again; returns how many. */
  public int thaw(String tag) {
    return each(tag, Link::thaw);
  }

  /**
   * Resets the tag's connections and each that it tries, until {@link #online}.
   *
   * @return false when too many are offline already
   */
  public boolean offline(String tag) {
    synchronized (offline) {
      if (!offline.contains(tag) && offline.size() >= MOST_OFFLINE) {
        return false;
      }
      offline.add(tag);
    }
    cut(tag);
    return true;
  }

  /** Ends {@link #offline}; returns whether it was so. */
  public boolean online(String tag) {
    synchronized (offline) {
      return offline.remove(tag);
    }
  }

  /** The tags that are offline. */
  public List<String> offlineTags() {
    synchronized (offline) {
      return List.copyOf(offline);
    }
  }

  /** The connections that are open, tagged or not. */
  public Collection<View> views() {
    List<View> views = new ArrayList<>();
    for (Link link : open) {
      views.add(
          new View(
              link.edge(),
              link.tag(),
              link.frozen(),
              link.bytesUp(),
              link.bytesDown(),
              link.ageMs()));
    }
    return views;
  }

  boolean isOffline(@Nullable String tag) {
    synchronized (offline) {
      return tag != null && offline.contains(tag);
    }
  }

  void add(Link link) {
    open.add(link);
    if (isOffline(link.tag())) {
      link.cut(); // it became so meanwhile
    }
  }

  void remove(Link link) {
    open.remove(link);
  }

  void cutAll(String edge) {
    open.stream().filter(link -> link.edge().equals(edge)).forEach(Link::cut);
  }

  private int each(String tag, Consumer<Link> what) {
    List<Link> those = open.stream().filter(link -> tag.equals(link.tag())).toList();
    those.forEach(what);
    return those.size();
  }
}
