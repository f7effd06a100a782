package dev.holdfast.standalone;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes from a group the members that an earlier {@code dev} left in it. A new one holds the data
 * directory, so they are all dead, and without this it waits for their session to end (6 s).
 */
final class FormerMembers {
  private static final Logger LOG = LoggerFactory.getLogger(FormerMembers.class);
  private static final long PATIENCE_MS = 5_000;

  private FormerMembers() {}

  /** Only saves time: when it fails, the group waits for the session instead. */
  static void remove(String bootstrap, String group) throws InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      boolean empty =
          admin
              .describeConsumerGroups(List.of(group))
              .all()
              .get(PATIENCE_MS, TimeUnit.MILLISECONDS)
              .values()
              .stream()
              .allMatch(found -> found.members().isEmpty());
      if (!empty) {
        admin
            .removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions())
            .all()
            .get(PATIENCE_MS, TimeUnit.MILLISECONDS);
      }
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof GroupIdNotFoundException)) {
        LOG.warn("the start takes a few seconds longer: {}", String.valueOf(e.getCause()));
      }
    } catch (TimeoutException e) {
      LOG.warn("the start takes a few seconds longer: the group's coordinator does not answer");
    }
  }
}
