package dev.holdfast.edge.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.edge.FakeLog;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.Credential;
import dev.holdfast.edge.auth.Grants;
import dev.holdfast.edge.auth.Jwts;
import dev.holdfast.edge.auth.Origins;
import dev.holdfast.edge.auth.SessionTokens;
import dev.holdfast.frame.CloseCode;
import dev.holdfast.record.Event;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a connection's token lets it do, and until when. */
class PassportTest {
  private static final AuthConfig JWT = config(new KeyPlace.Secrets(List.of(Jwts.SECRET)));

  private static AuthConfig config(KeyPlace keys) {
    return new AuthConfig(new AuthConfig.Jwt(keys, null, null, 0), List.of(), Origins.SAME_HOST);
  }

  private static Rig rig() {
    return new Rig(JWT, null);
  }

  private static Rig rig(@Nullable Credential handshake) {
    return new Rig(JWT, handshake);
  }

  private static void hello(Rig rig, String more) {
    rig.text("{'type':'hello','clientId':'c','lastSeq':0" + more + "}");
  }

  private static void helloWith(Rig rig, String token) {
    hello(rig, ",'token':'" + token + "'");
  }

  private static Rig live(String token) {
    Rig rig = rig();
    helloWith(rig, token);
    rig.session.onWelcome(FakeLog.welcome(0));
    assertThat(rig.next()).contains("\"welcome\"");
    return rig;
  }

  private static String lasting(String user, long seconds) {
    return Jwts.hs256(Jwts.SECRET, Jwts.claims(user, Jwts.NOW_S + seconds, ""));
  }

  private static void auth(Rig rig, String token) {
    rig.text("{'type':'auth','token':'" + token + "'}");
  }

  private static void refused(Rig rig, CloseCode code, String error) {
    assertThat(rig.next()).contains("\"code\":\"" + error + "\"", "\"retryable\":false");
    assertThat(rig.closed).isEqualTo(code);
    assertThat(rig.log.events(Event.Connect.class)).isEmpty();
  }

  @Test
  void theTokensUserIsTheUser() {
    Rig rig = rig();
    hello(rig, ",'user':'ann','token':'" + Jwts.token("ann", "") + "'");
    assertThat(rig.log.offers.get(0).users()).containsExactly("ann");
  }

  @Test
  void theHandshakesTokenDoesAsWell() {
    Rig rig = rig(new Credential("ann", Jwts.NOW_S * 1_000 + 60_000, Grants.DEFAULT));
    hello(rig, "");
    assertThat(rig.log.offers.get(0).users()).containsExactly("ann");
  }

  @Test
  void withoutAGoodTokenNobodyComesIn() {
    Rig none = rig();
    hello(none, ",'user':'ann'");
    refused(none, CloseCode.UNAUTHORIZED, "unauthorized");

    Rig expired = rig();
    helloWith(expired, lasting("ann", -1));
    refused(expired, CloseCode.UNAUTHORIZED, "unauthorized");

    Rig stranger = rig();
    helloWith(stranger, Jwts.hs256(Jwts.bytes("s".repeat(32)), Jwts.claims("ann", 1L << 40, "")));
    refused(stranger, CloseCode.UNAUTHORIZED, "unauthorized");

    Rig late = rig(new Credential("ann", Jwts.NOW_S * 1_000 + 5_000, Grants.DEFAULT));
    late.pass(5_000);
    hello(late, "");
    refused(late, CloseCode.UNAUTHORIZED, "unauthorized");

    Rig badBesideGood = rig(new Credential("ann", Jwts.NOW_S * 1_000 + 5_000, Grants.DEFAULT));
    helloWith(badBesideGood, "x");
    refused(badBesideGood, CloseCode.UNAUTHORIZED, "unauthorized");
  }

  @Test
  void nobodySpeaksForAnother() {
    Rig named = rig();
    hello(named, ",'user':'bob','token':'" + Jwts.token("ann", "") + "'");
    refused(named, CloseCode.FORBIDDEN, "forbidden");

    Rig two = rig(new Credential("ann", Jwts.NOW_S * 1_000 + 60_000, Grants.DEFAULT));
    helloWith(two, Jwts.token("bob", ""));
    refused(two, CloseCode.FORBIDDEN, "forbidden");
  }

  @Test
  void withoutKeysAClientIsToldToComeLater() throws Exception {
    AuthConfig down = config(new KeyPlace.JwksUrl(new URI("http://127.0.0.1:9/jwks")));
    Rig rig = new Rig(down, null);
    helloWith(rig, Jwts.token("ann", ""));
    assertThat(rig.closed).isEqualTo(CloseCode.TRY_AGAIN_LATER);

    Rig live = new Rig(down, new Credential("ann", Jwts.NOW_S * 1_000 + 5_000, Grants.DEFAULT));
    hello(live, "");
    live.session.onWelcome(FakeLog.welcome(0));
    live.sent.clear();
    auth(live, Jwts.token("ann", ""));
    assertThat(live.next())
        .contains("\"keys_unavailable\"", "\"retryable\":true", "\"retryAfterMs\":");
    assertThat(live.open).isTrue();
  }

  @Test
  void aTokenEndsItsConnectionAfterANotice() {
    Rig rig = live(lasting("ann", 300));
    rig.text("ping");
    rig.next();
    for (int i = 0; i < 4; i++) {
      rig.pass(59_000);
      rig.text("ping");
      assertThat(rig.next()).isEqualTo("pong");
    }
    assertThat(rig.next()).isEqualTo("nothing");
    rig.pass(4_000);
    assertThat(rig.next())
        .contains("\"token_expiring\"", "60 s", "\"retryable\":false")
        .doesNotContain("clientMsgId");
    rig.pass(1_000);
    rig.text("ping");
    assertThat(rig.next()).isEqualTo("pong");
    rig.pass(58_999);
    assertThat(rig.open).isTrue();
    rig.pass(1);
    assertThat(rig.closed).isEqualTo(CloseCode.UNAUTHORIZED);
    assertThat(rig.log.events(Event.Disconnect.class).get(0).reason()).isEqualTo("unauthorized");
  }

  @Test
  void aShortTokenIsNoticedInItsLastFifth() {
    Rig rig = live(lasting("ann", 10));
    rig.pass(7_999);
    assertThat(rig.next()).isEqualTo("nothing");
    rig.pass(1);
    assertThat(rig.next()).contains("\"token_expiring\"", "2 s");
  }

  @Test
  void aRenewalMovesTheEnd() {
    Rig rig = live(lasting("ann", 10));
    rig.pass(9_000);
    assertThat(rig.next()).contains("\"token_expiring\"");
    auth(rig, lasting("ann", 60));
    assertThat(rig.next())
        .isEqualTo("{\"type\":\"auth\",\"expiresAt\":" + (Jwts.NOW_S + 60) * 1_000 + "}");
    rig.pass(40_000);
    assertThat(rig.next()).isEqualTo("nothing");
    rig.pass(1_000);
    assertThat(rig.next()).contains("\"token_expiring\"");
    assertThat(rig.open).isTrue();
    rig.pass(10_000);
    assertThat(rig.closed).isEqualTo(CloseCode.UNAUTHORIZED);
  }

  @Test
  void aRenewalMustBeGoodAndTheSameUsers() {
    Rig bad = live(lasting("ann", 60));
    auth(bad, "x.y.z");
    assertThat(bad.next()).contains("\"unauthorized\"");
    assertThat(bad.closed).isEqualTo(CloseCode.UNAUTHORIZED);

    Rig other = live(lasting("ann", 60));
    auth(other, lasting("bob", 60));
    assertThat(other.next()).contains("\"forbidden\"");
    assertThat(other.closed).isEqualTo(CloseCode.FORBIDDEN);

    Rig early = rig();
    auth(early, lasting("ann", 60));
    assertThat(early.closed).isEqualTo(CloseCode.PROTOCOL_ERROR);

    Rig off = Rig.live();
    auth(off, "x");
    assertThat(off.next()).contains("\"unsupported\"");
    assertThat(off.open).isTrue();
  }

  @Test
  void sendsGoWhereTheTokenAllows() {
    Rig rig = live(Jwts.token("ann", ",'holdfast':{'send':['bob','team.*']}"));
    rig.sendMessage("m1");
    rig.text("{'type':'send','clientMsgId':'m2','to':{'users':['bob','carol']},'payload':0}");
    assertThat(rig.next())
        .contains("\"forbidden\"", "\"retryable\":false", "\"clientMsgId\":\"m2\"");
    rig.text("{'type':'send','clientMsgId':'m3','to':{'users':['bob','team.x']},'payload':0}");
    assertThat(rig.log.events(Event.Message.class)).hasSize(2);
    assertThat(rig.log.events(Event.Message.class)).allMatch(m -> m.from().equals("ann"));
    assertThat(rig.open).isTrue();
  }

  @Test
  void aSendThatIsForbiddenWhenItComesAgainHoldsUpNothing() {
    Rig rig = live(Jwts.token("ann", ""));
    rig.log.full = true;
    rig.sendMessage("m1");
    assertThat(rig.next()).contains("\"overloaded\"");
    rig.log.full = false;
    auth(rig, Jwts.token("ann", ",'holdfast':{'send':['carol']}"));
    rig.sent.clear();
    rig.sendMessage("m1");
    assertThat(rig.next()).contains("\"forbidden\"");
    rig.text("{'type':'send','clientMsgId':'m2','to':{'user':'carol'},'payload':0}");
    assertThat(rig.next()).isEqualTo("nothing");
    assertThat(rig.log.events(Event.Message.class)).hasSize(1);
  }

  private static Event.Connect connect(AuthConfig config, String hello) {
    Rig rig = new Rig(config, null);
    hello(rig, hello);
    return rig.log.events(Event.Connect.class).get(0);
  }

  @Test
  void aSessionTokenOfSomebodyElseTakesTheCursorAway() {
    for (AuthConfig config : List.of(JWT, AuthConfig.OFF)) {
      SessionTokens tokens = new SessionTokens(config.effectiveSessionKeys());
      String ann = ",'user':'ann','token':'" + Jwts.token("ann", "") + "','sessionToken':'%s'";
      Event.Connect mine = connect(config, ann.formatted(tokens.issue("ann", "c", "e7")));
      assertThat(mine.lastSeq()).isEqualTo(0);
      assertThat(mine.epoch()).isEqualTo("e7");
      String named = ann.formatted(tokens.issue("ann", "c", "e7")) + ",'epoch':'e8'";
      assertThat(connect(config, named).epoch()).isEqualTo("e8");
      for (String foreign :
          List.of(tokens.issue("bob", "c", "e7"), tokens.issue("ann", "d", "e7"))) {
        assertThat(connect(config, ann.formatted(foreign)).lastSeq()).isNull();
      }
      String forged = new SessionTokens(List.of(new byte[32])).issue("bob", "c", "e7");
      for (String unreadable : List.of(forged, "", "%", "a.b.c", "x".repeat(5_000))) {
        Event.Connect connect = connect(config, ann.formatted(unreadable));
        assertThat(connect.lastSeq()).isEqualTo(0);
        assertThat(connect.epoch()).isNull();
      }
    }
  }

  @Test
  void theWelcomesSessionTokenIsSigned() {
    Rig rig = rig();
    helloWith(rig, Jwts.token("ann", ""));
    rig.session.onWelcome(FakeLog.welcome(0));
    String issued = new SessionTokens(JWT.effectiveSessionKeys()).issue("ann", "c", "e1");
    assertThat(rig.next()).contains("\"sessionToken\":\"" + issued + "\"");
    assertThat(issued).contains(".");
  }
}
