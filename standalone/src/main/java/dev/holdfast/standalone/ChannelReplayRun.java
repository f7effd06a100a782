package dev.holdfast.standalone;

import dev.holdfast.channel.ChannelHeaders;
import dev.holdfast.channel.ChannelName;
import dev.holdfast.channel.Namespace;
import dev.holdfast.channel.Namespace.Mode;
import dev.holdfast.channel.Namespace.Publishers;
import dev.holdfast.channel.Namespaces;
import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.replay.ChannelReplay;
import dev.holdfast.delivery.replay.Point;
import dev.holdfast.delivery.source.forward.SourceClients;
import dev.holdfast.delivery.source.forward.TopicLook;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;

/**
 * {@code holdfast replay --channel}: what the operator is told of it.
 *
 * @param before how many partitions the topic had when the range was written; null: as many as now
 */
record ChannelReplayRun(
    SourceClients clients,
    ChannelName channel,
    Namespace namespace,
    @Nullable Integer before,
    ChannelReplay.Run run,
    PrintWriter out,
    PrintWriter err) {

  /**
   * Of a channel that can be replayed, as far as its name tells.
   *
   * @throws IllegalArgumentException when there is no such channel
   * @throws CommandFailed when it is one of newest values
   */
  static ChannelReplayRun of(
      SourceClients clients,
      String name,
      Namespaces namespaces,
      @Nullable Integer before,
      ChannelReplay.Run run,
      PrintWriter out,
      PrintWriter err) {
    ChannelName channel = ChannelName.of(name);
    if (channel == null) {
      throw new IllegalArgumentException("--channel " + ChannelName.RULE + ", not '" + name + "'");
    }
    Namespace namespace = namespaces.of(channel);
    if (namespace == null) {
      throw new IllegalArgumentException(
          "--channel "
              + name
              + ": give the --namespace "
              + channel.prefix()
              + " as the edges have it");
    }
    if (namespace.mode() == Mode.LATEST) {
      throw refused(name + " shows newest values (mode=latest)");
    }
    return new ChannelReplayRun(clients, channel, namespace, before, run, out, err);
  }

  private static CommandFailed refused(String why) {
    return new CommandFailed(why + ": a replay would put old values over newer ones");
  }

  /**
   * Looks at the range and sends it, unless that was not meant.
   *
   * @param beyond whether what edges do not know any more is to be sent all the same
   * @throws CommandFailed when it is not, and there is some
   */
  void go(Point from, @Nullable Point to, boolean dryRun, boolean beyond, InstantSource clock)
      throws InterruptedException {
    TopicLook topic = topic();
    int partitions = before == null ? topic.partitions() : before;
    if (before != null && before >= topic.partitions()) {
      throw new IllegalArgumentException(
          "--partitions-before must be less than "
              + topic.partitions()
              + ", as many as topic "
              + namespace.topic()
              + " has now");
    }
    try (ChannelReplay replay =
        new ChannelReplay(clients, namespace, channel, topic, partitions, run, clock)) {
      replay.settle(from, to);
      out.println(place(replay.partition(), topic.partitions()));
      if (dryRun) {
        out.println("partition offset time msgId bytes");
      }
      if (dryRun || !run.asNew()) {
        ChannelReplay.Totals found = replay.look(dryRun ? this::line : line -> {});
        if (dryRun) {
          tell("would send ", "would go", replay.what(), found);
        }
        if (found.beyond() > 0 && !beyond) {
          out.flush();
          throw new CommandFailed(refusal(found));
        }
      }
      if (!dryRun) {
        tell("sent ", "went", replay.what(), send(replay));
      }
    }
  }

  private String place(int partition, int partitions) {
    String read = "read partition " + partition + " of " + namespace.topic() + ", where ";
    if (before != null) {
      return read + "the channel lay while that had " + count(before, "partition");
    }
    return read
        + "the channel lies"
        + (partitions == 1
            ? ""
            : " while that has "
                + partitions
                + " partitions; had it fewer once, events of then may lie elsewhere:"
                + " --partitions-before reads them");
  }

  private String refusal(ChannelReplay.Totals found) {
    return "nothing was sent: "
        + found.beyond()
        + " of "
        + count(found.send(), "event")
        + (before != null
            ? " would go to all subscribers again, since edges know no repeat from another partition"
            : namespace.publish() == Publishers.NONE
                ? " would go to all subscribers again, since edges know no repeats where nobody may"
                    + " publish through them (publish=none)"
                : " would go to all subscribers again, since edges know a repeat only within "
                    + ChannelHeaders.REPEAT_RECORDS
                    + " records of the partition, of which a tenth is left to those who write meanwhile")
        + "; clients drop what is among the last events that they had since they were started, and"
        + " show the rest twice. Begin later, with --from (--dry-run shows which they are); or send"
        + " them all the same, with --beyond-window";
  }

  private TopicLook topic() throws InterruptedException {
    try (Admin admin = clients.admin()) {
      TopicLook topic =
          TopicLook.at(admin, namespace.topic())
              .orElseThrow(
                  () -> new StartRefused("topic " + namespace.topic() + " does not exist"));
      ConfigResource it = new ConfigResource(ConfigResource.Type.TOPIC, namespace.topic());
      Config config = admin.describeConfigs(List.of(it)).all().get().get(it);
      ConfigEntry policy = config == null ? null : config.get("cleanup.policy");
      if (policy != null && policy.value().contains("compact")) {
        throw refused("topic " + namespace.topic() + " is compacted");
      }
      return topic;
    } catch (ExecutionException e) {
      throw new StartRefused("the topic's settings cannot be read: " + StartRefused.said(e), e);
    }
  }

  private void line(ChannelReplay.Line line) {
    out.printf(
        "%d %d %s %s %d%s%n",
        line.partition(),
        line.offset(),
        Instant.ofEpochMilli(line.timeMs()),
        line.msgId(),
        line.bytes(),
        line.beyond() ? " beyond the window" : "");
  }

  private ChannelReplay.Totals send(ChannelReplay replay) throws InterruptedException {
    String same = same(replay);
    err.println("to go on after a stop: the same command, but with " + same);
    err.flush();
    try {
      return replay.send(
          count -> {
            err.println(count + " sent");
            err.flush();
          });
    } catch (KafkaException e) {
      throw new CommandFailed(
          "stopped on the way: "
              + e.getMessage()
              + "; run the same command again, but with "
              + same
              + ": it sends what this one has not",
          e);
    }
  }

  /** What makes a repeated command the same run of the same range, however late it comes. */
  private String same(ChannelReplay replay) {
    ChannelReplay.Offsets range = replay.range();
    return "--run "
        + run.name()
        + (range == null ? "" : " --from " + range.from() + " --to " + range.to());
  }

  private void tell(String done, String gone, String what, ChannelReplay.Totals totals) {
    out.println(
        done
            + count(totals.send(), "event")
            + " of "
            + what
            + " ("
            + totals.bytes()
            + " bytes)"
            + (run.asNew() ? ", as new" : "")
            + " in run "
            + run.name());
    if (totals.within() > 0) {
      out.println(
          "edges drop "
              + totals.within()
              + " of these, whose first one lies within "
              + ChannelHeaders.REPEAT_RECORDS
              + " records before: no subscriber is sent them again");
    }
    if (totals.beyond() > 0) {
      out.println(
          totals.beyond()
              + " of these "
              + gone
              + " to all subscribers, also to those that had them: their clients know few msgIds");
    }
    tellNotSent(totals);
  }

  private void tellNotSent(ChannelReplay.Totals totals) {
    if (totals.before() > 0) {
      out.println(
          count(totals.before(), "event")
              + (totals.before() == 1 ? " was" : " were")
              + " sent before in this run");
    }
    if (totals.copies() > 0) {
      out.println(
          "left out "
              + (totals.copies() == 1 ? "1 copy" : totals.copies() + " copies")
              + " that a replay made of others in the range");
    }
    if (totals.unnamed() > 0) {
      out.println(
          "left out "
              + count(totals.unnamed(), "record")
              + " without a msgId, of another producer: nobody could tell a repeat of them;"
              + " --as-new sends them too");
    }
  }

  private static String count(long count, String of) {
    return count + " " + of + (count == 1 ? "" : "s");
  }
}
