package dev.holdfast.edge.channel;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.channel.Position;
import dev.holdfast.edge.channel.ModelLog.Rec;
import dev.holdfast.edge.session.Channels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A question about the past of a channel, which knows from the {@link ModelLog} what its answer
 * must be.
 */
final class ModelPast implements Channels.Past {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ModelLog log;
  private final String key;
  private final Position after;

  ModelPast(ModelLog log, String key, Position after) {
    this.log = log;
    this.key = key;
    this.after = after;
  }

  @Override
  public void events(List<byte[]> frames, String position, boolean more, @Nullable String lost) {
    if (lost != null) {
      return;
    }
    check(after.topic().equals(log.tag()), "the topic is another one");
    check(!log.cutBelow(after.next(), log.cuts(after.epoch())), "it was cut off before " + after);
    long to = Objects.requireNonNull(Position.parse(position)).next();
    check(to >= after.next() && to <= log.end(), "to " + to);
    List<Rec> told = new ArrayList<>();
    for (byte[] frame : frames) {
      Rec rec = log.ever(uid(frame));
      check(rec.key().equals(key) && rec.equals(log.at(rec.offset())), "another one: " + rec);
      check(rec.offset() >= after.next() && rec.offset() < to, "from elsewhere: " + rec);
      check(!log.surelyRepeat(rec), "a repeat: " + rec);
      told.add(rec);
    }
    check(told.stream().distinct().count() == told.size(), "one twice");
    for (Rec rec : log.events(key, after.next(), to)) {
      check(told.contains(rec), "missing: " + rec);
    }
  }

  private static int uid(byte[] frame) {
    try {
      return JSON.readTree(frame).path("ts").asInt();
    } catch (IOException e) {
      throw new AssertionError("not JSON", e);
    }
  }

  private void check(boolean right, String wrong) {
    if (!right) {
      throw new AssertionError("history of " + key + " after " + after + ": " + wrong);
    }
  }

  @Override
  public void unavailable(String why) {}

  @Override
  public boolean gone() {
    return false;
  }
}
