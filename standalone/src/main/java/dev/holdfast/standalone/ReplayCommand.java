package dev.holdfast.standalone;

import dev.holdfast.delivery.StartRefused;
import dev.holdfast.delivery.replay.ChannelReplay;
import dev.holdfast.delivery.replay.Point;
import dev.holdfast.delivery.replay.Replay;
import dev.holdfast.delivery.replay.Selection;
import dev.holdfast.delivery.replay.SourceSelection;
import dev.holdfast.delivery.replay.Totals;
import dev.holdfast.delivery.replay.UserSelection;
import dev.holdfast.delivery.source.SourceSpec;
import dev.holdfast.delivery.source.forward.SourceClients;
import dev.holdfast.delivery.source.forward.TopicLook;
import dev.holdfast.delivery.topology.TopicsAdmin;
import dev.holdfast.id.Names;
import dev.holdfast.record.Rules;
import dev.holdfast.topic.Topics;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "replay",
    description =
        "Delivers a range of a topic once more under the same identities: what a mailbox has is"
            + " dropped, what it lacks arrives. Of a channel edges drop what they still know.")
final class ReplayCommand implements Callable<Integer> {
  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  @Mixin private KafkaOptions kafka = new KafkaOptions();
  @Mixin private ChannelOptions channels = new ChannelOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  // A list, so that the variable HOLDFAST_SOURCE, which is that of streams, does not count here.
  @Option(
      names = "--source",
      arity = "1",
      paramLabel = "TOPIC[:from=NAME][:format=F]",
      description = "Records of this mailbox source, as streams has it.")
  private List<String> sources = new ArrayList<>();

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "The messages to this user in holdfast.events.")
  private @Nullable String user;

  @Option(
      names = "--channel",
      paramLabel = "PREFIX:KEY",
      description = "The events of this channel, whose --namespace must be given as edges have it.")
  private @Nullable String channel;

  @Option(
      names = "--as-new",
      description =
          "Of a channel: every record gets a new msgId, so that everybody gets it once more.")
  private boolean asNew;

  @Option(
      names = "--beyond-window",
      description =
          "Of a channel: send also what lies so far back that edges do not drop it; subscribers that"
              + " had it may see it twice.")
  private boolean beyondWindow;

  @Option(
      names = "--partitions-before",
      paramLabel = "N",
      description =
          "Of a channel: read where it lay while its topic had N partitions, fewer than now. The"
              + " copies go to where it lies now.")
  private @Nullable Integer partitionsBefore;

  @Option(
      names = "--run",
      paramLabel = "ID",
      description =
          "Of a channel: the run that is repeated after it stopped on the way; it sends what it has"
              + " not sent. Default: a new one.")
  private @Nullable String run;

  @Option(
      names = "--never-forwarded",
      description =
          "With --source: no source ever copied this topic, and its records are to be delivered as"
              + " new messages.")
  private boolean neverForwarded;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "POINT",
      description =
          "Where the range begins: an offset, a time with its zone (2026-11-30T12:00:00Z), or a"
              + " time before now (-30s, -10m, -2h, -1d).")
  private String from = "";

  @Option(
      names = "--to",
      paramLabel = "POINT",
      description = "Where it ends, not included. Default: with what there is now.")
  private @Nullable String to;

  @Option(
      names = "--partition",
      paramLabel = "N",
      description =
          "Only this partition; an offset needs it. Default: all, of a user's messages the user's.")
  private @Nullable Integer partition;

  @Option(
      names = "--dry-run",
      description = "Only list what would be sent: place, time, user, msgId and size.")
  private boolean dryRun;

  private final InstantSource clock = InstantSource.system();

  @Override
  public Integer call() throws Exception {
    checkWhat();
    Point begin = Point.parse("--from", from, clock.millis());
    Point end = to == null ? null : Point.parse("--to", to, clock.millis());
    Point.checkOrder(begin, end, clock.millis());
    if (partition != null) {
      OptionChecks.atLeast("--partition", 0, partition);
    }
    SourceClients clients = new SourceClients(kafka.bootstrap(), kafka.properties());
    if (channel != null) {
      channelRun(clients, channel).go(begin, end, dryRun, beyondWindow, clock);
      return 0;
    }
    SourceSpec source = sources.isEmpty() ? null : SourceSpec.parse(sources.get(0));
    if (user != null && !Names.valid(user)) {
      throw new IllegalArgumentException(
          "--user must be 1-128 characters of [A-Za-z0-9._~@:-], not '" + user + "'");
    }
    Rules rules = rules();
    Selection selection = selection(clients, source, rules);
    try (Replay replay = new Replay(clients, selection, rules.dedupWindowMs(), clock)) {
      replay.settle(begin, end, partition);
      run(replay, selection, rules);
    }
    return 0;
  }

  private void checkWhat() {
    if (sources.size() + (user == null ? 0 : 1) + (channel == null ? 0 : 1) != 1) {
      throw new IllegalArgumentException("give one of --source, --user and --channel");
    }
    if (neverForwarded && sources.isEmpty()) {
      throw new IllegalArgumentException("--never-forwarded is for --source only");
    }
    if (asNew && channel == null) {
      throw new IllegalArgumentException("--as-new is for --channel only");
    }
    if (beyondWindow && (channel == null || asNew)) {
      throw new IllegalArgumentException("--beyond-window is for --channel without --as-new only");
    }
    if (partitionsBefore != null) {
      OptionChecks.atLeast("--partitions-before", 1, partitionsBefore);
      if (channel == null) {
        throw new IllegalArgumentException("--partitions-before is for --channel only");
      }
    }
    if (run != null && (channel == null || !RUN.matcher(run).matches())) {
      throw new IllegalArgumentException(
          "--run must be 1-64 characters of [A-Za-z0-9_-], with --channel");
    }
    if (channel != null && partition != null) {
      throw new IllegalArgumentException("--channel has one partition; leave --partition out");
    }
  }

  private ChannelReplayRun channelRun(SourceClients clients, String name) {
    String as = run == null ? UUID.randomUUID().toString() : run;
    ChannelReplay.Run which = new ChannelReplay.Run(as, asNew, run != null);
    CommandLine line = spec.commandLine();
    return ChannelReplayRun.of(
        clients,
        name,
        channels.namespaces(List.of()),
        partitionsBefore,
        which,
        line.getOut(),
        line.getErr());
  }

  private Rules rules() {
    try (TopicsAdmin admin = new TopicsAdmin(kafka.bootstrap(), kafka.properties())) {
      admin.awaitBroker(KafkaOptions.PATIENCE);
      return admin.rulesOf();
    }
  }

  private Selection selection(SourceClients clients, @Nullable SourceSpec source, Rules rules)
      throws InterruptedException {
    try (Admin admin = clients.admin()) {
      if (source != null) {
        return SourceSelection.of(source, admin, neverForwarded);
      }
      TopicLook events =
          TopicLook.at(admin, Topics.EVENTS.topic())
              .orElseThrow(
                  () -> new StartRefused("a topic is missing; run `holdfast topics init` first"));
      return new UserSelection(
          String.valueOf(user), events.id(), events.partitions(), rules.dedupWindowMs());
    }
  }

  private void run(Replay replay, Selection selection, Rules rules) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    if (dryRun) {
      out.println("partition offset time user msgId bytes");
    }
    Totals found = replay.look((line, tooOld) -> tell(out, line, tooOld));
    if (found.tooOld() > 0) {
      out.flush();
      throw new CommandFailed(refusal(found, rules));
    }
    if (dryRun) {
      out.println("would send " + summary(found, selection));
      return;
    }
    Totals sent = send(replay);
    out.println("sent " + summary(sent, selection) + "; mailboxes drop what they have");
  }

  private void tell(PrintWriter out, Replay.Line line, boolean tooOld) {
    if (dryRun) {
      out.printf(
          "%d %d %s %s %s %d%s%n",
          line.partition(),
          line.offset(),
          Instant.ofEpochMilli(line.timeMs()),
          line.user(),
          line.msgId(),
          line.bytes(),
          tooOld ? " too old" : "");
    }
  }

  private static String refusal(Totals found, Rules rules) {
    return "nothing was sent: "
        + found.tooOld()
        + " of "
        + found.send()
        + " messages are too old to be surely recognised as repeats (the dedup window is "
        + Duration.ofMillis(rules.dedupWindowMs())
        + "), so users might get them twice; begin later, with --from. --dry-run shows which they"
        + " are";
  }

  private Totals send(Replay replay) throws InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
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
              + "; run the same command again: what was sent is dropped as a repeat",
          e);
    }
  }

  private static String summary(Totals totals, Selection selection) {
    StringBuilder text = new StringBuilder();
    text.append(totals.send()).append(totals.send() == 1 ? " message" : " messages");
    text.append(" of ").append(selection.what()).append(" (").append(totals.bytes());
    text.append(" bytes)");
    totals
        .not()
        .forEach((why, count) -> text.append(", not ").append(count).append(" with ").append(why));
    return text.toString();
  }
}
