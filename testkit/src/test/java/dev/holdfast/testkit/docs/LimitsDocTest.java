package dev.holdfast.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.admission.Networks;
import dev.holdfast.edge.admission.Rate;
import dev.holdfast.edge.channel.ChannelLimits;
import dev.holdfast.edge.presence.PresenceConfig;
import dev.holdfast.record.Rules;
import dev.holdfast.topic.Topics;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimitsDocTest {
  private static final int PARTITIONS = Topics.EVENTS.defaultPartitions();

  @Test
  void nodeLimitsAreTheRecords() throws Exception {
    assertThat(namesAndDefaults("## Node limits")).isEqualTo(components(Limits.DEFAULT));
  }

  @Test
  void admissionIsTheRecords() throws Exception {
    assertThat(namesAndDefaults("## Admission")).isEqualTo(components(AdmissionConfig.DEFAULT));
  }

  @Test
  void channelsAreTheRecords() throws Exception {
    assertThat(namesAndDefaults("## Channels")).isEqualTo(components(ChannelLimits.DEFAULT));
  }

  @Test
  void presenceIsTheRecords() throws Exception {
    assertThat(namesAndDefaults("## Presence")).isEqualTo(components(PresenceConfig.DEFAULT));
  }

  @Test
  void rulesAreTheRecords() throws Exception {
    assertThat(namesAndDefaults("## Rules")).isEqualTo(components(Rules.defaults(PARTITIONS)));
  }

  @Test
  void everyLimitHasAUnitAndAnOutcome() throws Exception {
    for (String heading :
        List.of("## Node limits", "## Admission", "## Channels", "## Presence", "## Rules")) {
      assertThat(page().table(heading))
          .allSatisfy(
              row -> {
                assertThat(row).hasSize(4);
                assertThat(row).noneMatch(String::isEmpty);
              });
    }
  }

  @Test
  void topicsAreTheConstants() throws Exception {
    List<List<String>> expected = new ArrayList<>();
    for (Topics topic : Topics.all()) {
      Map<String, String> config = topic.config();
      expected.add(
          List.of(
              topic.topic(),
              String.valueOf(topic.defaultPartitions()),
              String.valueOf(config.get("cleanup.policy")),
              kept(config.get("retention.ms"))));
    }
    List<List<String>> found = new ArrayList<>();
    for (List<String> row : page().table("## Topics")) {
      found.add(row.subList(0, 4));
    }
    assertThat(found).isEqualTo(expected);
  }

  private static String kept(@Nullable String retentionMs) {
    if (retentionMs == null) {
      return "for ever";
    }
    Duration time = Duration.ofMillis(Long.parseLong(retentionMs));
    return time.toDays() > 0 ? time.toDays() + " days" : time.toHours() + " hour";
  }

  private static MarkdownPage page() throws IOException {
    return MarkdownPage.read("limits.md");
  }

  private static List<String> namesAndDefaults(String heading) throws IOException {
    return page().table(heading).stream().map(row -> row.get(0) + " " + row.get(1)).toList();
  }

  private static String text(Object value) {
    if (value instanceof Rate rate) {
      return (long) rate.perSecond() + ":" + (long) rate.burst();
    }
    return value.equals(Networks.NONE) ? "none" : String.valueOf(value);
  }

  private static List<String> components(Record values) throws ReflectiveOperationException {
    List<String> found = new ArrayList<>();
    for (RecordComponent c : values.getClass().getRecordComponents()) {
      found.add(c.getName() + " " + text(c.getAccessor().invoke(values)));
    }
    return found;
  }
}
