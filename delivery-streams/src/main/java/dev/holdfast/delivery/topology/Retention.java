package dev.holdfast.delivery.topology;

import dev.holdfast.record.Rules;
import dev.holdfast.topic.Topics;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;

/**
 * How long the log must keep records: a day longer than the rules keep messages and know repeats
 * (D1). Otherwise a replica that begins with the log knows less than one that runs.
 */
final class Retention {
  static final String SETTING = "retention.ms";

  private static final long MARGIN_MS = Duration.ofDays(1).toMillis();

  private final Rules rules;
  private final String bootstrap;

  Retention(Rules rules, String bootstrap) {
    this.rules = rules;
    this.bootstrap = bootstrap;
  }

  /** In milliseconds; the largest number stands for ever. */
  long neededMs() {
    long longest = Math.max(rules.mailboxAgeMs(), rules.dedupWindowMs());
    return longest > Long.MAX_VALUE - MARGIN_MS ? Long.MAX_VALUE : longest + MARGIN_MS;
  }

  /** What the topic keeps now; empty where this user may not ask. */
  static OptionalLong keptMs(Admin admin) throws ExecutionException, InterruptedException {
    ConfigResource events = new ConfigResource(ConfigResource.Type.TOPIC, Topics.EVENTS.topic());
    try {
      Config config = admin.describeConfigs(List.of(events)).all().get().get(events);
      return config == null
          ? OptionalLong.empty()
          : OptionalLong.of(Long.parseLong(config.get(SETTING).value()));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        return OptionalLong.empty();
      }
      throw e;
    }
  }

  /**
   * @throws IllegalArgumentException when the log keeps less than these rules need, and {@code
   *     before} needed less than they do
   */
  void refuseBeyond(long keptMs, Rules before) {
    boolean more = neededMs() > new Retention(before, bootstrap).neededMs();
    if (more && keptMs >= 0 && keptMs < neededMs()) {
      throw new IllegalArgumentException(
          Topics.EVENTS.topic()
              + " has "
              + SETTING
              + "="
              + keptMs
              + ", which must be a day more than mailbox-age-ms ("
              + rules.mailboxAgeMs()
              + ") and dedup-window-ms ("
              + rules.dedupWindowMs()
              + "); nothing was changed. Raise it first: "
              + command(neededMs()));
    }
  }

  /** What sets it. */
  String command(long ms) {
    return "`./holdfast kafka configs --bootstrap-server "
        + bootstrap
        + " --alter --entity-type topics --entity-name "
        + Topics.EVENTS.topic()
        + " --add-config "
        + SETTING
        + "="
        + (ms == Long.MAX_VALUE ? -1 : ms)
        + "`";
  }
}
