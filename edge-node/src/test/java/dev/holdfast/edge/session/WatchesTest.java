package dev.holdfast.edge.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Limits;
import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.auth.Origins;
import dev.holdfast.frame.CloseCode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What one connection is told of other users' presence. */
class WatchesTest {
  private static final AuthConfig JWT =
      new AuthConfig(
          new AuthConfig.Jwt(new KeyPlace.Secrets(List.of(Jwts.SECRET)), null, null, 0),
          List.of(),
          Origins.SAME_HOST);
  private static final String NOBODY = "\"status\":\"offline\",\"since\":0,\"lastSeen\":0}";
  private static final int MOST = 1_000;

  private static void watch(Rig rig, String... users) {
    rig.text("{'type':'watch','users':['" + String.join("','", users) + "']}");
  }

  private static String frame(String user, String rest) {
    return "{\"type\":\"presence\",\"user\":\"" + user + "\"," + rest;
  }

  private static Rig secured(String claim) {
    Rig rig = new Rig(JWT, null);
    rig.text("{'type':'hello','clientId':'c','token':'" + Jwts.token("ann", claim) + "'}");
    rig.session.onWelcome(FakeLog.welcome(0));
    rig.sent.clear();
    return rig;
  }

  private static String may(String... users) {
    return ",'holdfast':{'watch':['" + String.join("','", users) + "']}";
  }

  @Test
  void tellsNowAndEachChange() {
    Rig rig = Rig.live();
    watch(rig, "bob", "eve");
    assertThat(rig.sent).containsExactly(frame("bob", NOBODY), frame("eve", NOBODY));
    rig.presence.change("bob", true, 5);
    assertThat(rig.sent.get(2))
        .isEqualTo(frame("bob", "\"status\":\"online\",\"since\":5,\"lastSeen\":0}"));
    rig.text("{'type':'unwatch','users':['bob','never-watched']}");
    rig.presence.change("bob", false, 6);
    assertThat(rig.sent).hasSize(3);
    assertThat(rig.presence.reserved).isEqualTo(1);
  }

  @Test
  @DisplayName("hello.watch is taken right after the welcome, what came meanwhile after that")
  void helloWatches() {
    Rig rig = new Rig();
    rig.text("{'type':'hello','clientId':'c','watch':['bob']}");
    watch(rig, "eve");
    assertThat(rig.sent).isEmpty();
    rig.session.onWelcome(FakeLog.welcome(0));
    assertThat(rig.next()).contains("\"welcome\"");
    assertThat(rig.sent).containsExactly(frame("bob", NOBODY), frame("eve", NOBODY));
  }

  @Test
  void aWatchBeforeTheHelloEndsTheConnection() {
    Rig rig = new Rig();
    watch(rig, "bob");
    assertThat(rig.next()).contains("hello_expected");
    assertThat(rig.closed).isEqualTo(CloseCode.PROTOCOL_ERROR);
  }

  @Test
  @DisplayName("1000 users, and no more: then nothing of the frame is taken")
  void tooMany() {
    Rig rig = Rig.live();
    String[] most = IntStream.range(0, MOST).mapToObj(i -> "u" + i).toArray(String[]::new);
    watch(rig, most);
    assertThat(rig.sent).hasSize(MOST);
    rig.sent.clear();
    watch(rig, "u1", "one", "two");
    assertThat(rig.next())
        .contains("\"code\":\"too_many\"", "may watch 1000 users", "\"retryable\":false")
        .contains("\"users\":[\"one\",\"two\"]");
    assertThat(rig.sent).isEmpty();
    watch(rig, "u1");
    assertThat(rig.next()).contains("\"u1\"");
    rig.text("{'type':'unwatch','users':['u1','u2']}");
    watch(rig, "one", "two");
    assertThat(rig.sent).hasSize(2);
    assertThat(rig.presence.reserved).isEqualTo(MOST);
  }

  @Test
  void aFullNodeSaysWhen() {
    Rig rig = Rig.live();
    rig.presence.reserved = rig.presence.config.nodeWatches() - 1;
    watch(rig, "bob", "eve");
    assertThat(rig.next())
        .contains("\"code\":\"overloaded\"", "[\"bob\",\"eve\"]", "\"retryAfterMs\":");
    watch(rig, "bob");
    assertThat(rig.next()).contains("\"presence\"");
  }

  @Test
  @DisplayName(
      "the token's list narrows; whoever is not in it is named, nothing of the frame taken")
  void forbidden() {
    Rig rig = secured(may("team.*", "bob"));
    watch(rig, "bob", "team.eve", "boss");
    assertThat(rig.next())
        .contains("\"code\":\"forbidden\"", "\"users\":[\"boss\"]", "\"retryable\":false");
    assertThat(rig.presence.watches).isEmpty();
    assertThat(rig.closed).isEqualTo(CloseCode.NORMAL);
    watch(rig, "bob", "team.eve");
    assertThat(rig.sent).hasSize(2);
    Rig all = secured("");
    watch(all, "boss");
    assertThat(all.next()).contains("\"presence\"");
  }

  @Test
  @DisplayName("a renewal that allows less ends watches, and says which")
  void narrowed() {
    Rig rig = secured("");
    watch(rig, "bob", "eve", "boss");
    rig.sent.clear();
    rig.text("{'type':'auth','token':'" + Jwts.token("ann", may("bob")) + "'}");
    assertThat(rig.next()).contains("\"auth\"");
    assertThat(rig.next()).contains("\"forbidden\"", "\"users\":[\"boss\",\"eve\"]");
    rig.presence.change("boss", true, 1);
    rig.presence.change("bob", true, 2);
    assertThat(rig.sent).hasSize(1);
    assertThat(rig.next()).contains("\"bob\"");
    assertThat(rig.presence.reserved).isEqualTo(1);
  }

  @Test
  @DisplayName("what cannot be known is told by name, a hundred to a frame, and has ended")
  void gaveUp() {
    Rig rig = Rig.live();
    rig.presence.silent = true;
    String[] users = IntStream.range(0, 250).mapToObj(i -> "u" + i).toArray(String[]::new);
    watch(rig, users);
    assertThat(rig.sent).isEmpty();
    rig.presence.giveUp(users);
    assertThat(rig.sent).hasSize(3);
    assertThat(rig.sent)
        .allMatch(f -> f.contains("\"overloaded\"") && f.contains("\"retryAfterMs\":"));
    String named = rig.sent.stream().collect(Collectors.joining());
    assertThat(users).allMatch(user -> named.contains('"' + user + '"'));
    rig.sent.clear();
    rig.presence.change("u1", true, 1);
    assertThat(rig.sent).isEmpty();
    rig.presence.silent = false;
    watch(rig, "u1");
    assertThat(rig.next()).contains("\"online\"");
  }

  @Test
  @DisplayName("a slow reader gets the newest of each user once there is room, and nothing older")
  void slowReader() {
    Rig rig = Rig.live();
    watch(rig, "bob", "eve", "zoe");
    rig.sent.clear();
    rig.queuedBytes = Limits.DEFAULT.queueBytes() / 4;
    for (int i = 1; i <= 100; i++) {
      rig.presence.change("bob", i % 2 == 0, i);
      rig.presence.change("eve", i % 2 == 1, i);
    }
    assertThat(rig.sent).isEmpty();
    rig.text("{'type':'unwatch','users':['eve']}");
    rig.queuedBytes = 0;
    rig.presence.change("zoe", true, 200);
    assertThat(rig.sent).as("not past those that wait").isEmpty();
    rig.pass(1_000);
    assertThat(rig.sent).hasSize(2);
    assertThat(rig.next()).contains("\"bob\"", "\"online\"", "\"since\":100");
    assertThat(rig.next()).contains("\"zoe\"");
    rig.presence.change("bob", false, 300);
    assertThat(rig.sent).hasSize(1);
  }

  @Test
  void theEndGivesTheRoomBack() {
    Rig rig = Rig.live();
    watch(rig, "bob", "eve");
    rig.session.onSocketClosed();
    assertThat(rig.presence.watches).isEmpty();
    assertThat(rig.presence.reserved).isZero();
    rig.sent.clear();
    rig.presence.change("bob", true, 1);
    assertThat(rig.sent).isEmpty();
  }
}
