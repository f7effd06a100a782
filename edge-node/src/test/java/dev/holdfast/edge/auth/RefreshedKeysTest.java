package dev.holdfast.edge.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Keys that an identity provider publishes, changes, and now and then fails to publish. */
@Timeout(30)
class RefreshedKeysTest {
  private static final KeyPair FIRST = Jwts.rsa(2048);
  private static final KeyPair SECOND = Jwts.ec("secp256r1");
  private static final String CLAIMS = Jwts.claims("ann", Jwts.NOW_S + 60, "");
  private static final long LEAST_MS = 10_000;

  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicLong nowMs = new AtomicLong(1_000_000);
  private volatile int status = 200;
  private volatile byte[] body = set(rsa("k1", FIRST));
  private HttpServer server;
  private TokenVerifier verifier;

  @BeforeEach
  void start() throws IOException {
    server = serve(0);
    verifier = verifier(port(), 3_600_000);
  }

  private HttpServer serve(int port) throws IOException {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    http.createContext(
        "/jwks",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(status, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    http.start();
    return http;
  }

  private int port() {
    return server.getAddress().getPort();
  }

  private TokenVerifier verifier(int port, long refreshMs) {
    URI url = URI.create("http://127.0.0.1:" + port + "/jwks");
    RefreshedKeys keys =
        new RefreshedKeys(
                "test",
                () -> Jwks.fetch(url),
                new RefreshedKeys.Pace(refreshMs, 20, LEAST_MS),
                nowMs::get)
            .start();
    return new TokenVerifier(keys, null, null, 0, () -> Instant.ofEpochSecond(Jwts.NOW_S));
  }

  @AfterEach
  void stop() {
    verifier.close();
    server.stop(0);
  }

  private static JWK rsa(@Nullable String kid, KeyPair pair) {
    return new RSAKey.Builder((RSAPublicKey) pair.getPublic()).keyID(kid).build();
  }

  private static JWK ec(String kid, KeyPair pair) {
    return new ECKey.Builder(Curve.P_256, (ECPublicKey) pair.getPublic()).keyID(kid).build();
  }

  private static byte[] set(JWK... keys) {
    return Jwts.bytes(
        "{\"keys\":["
            + String.join(",", Arrays.stream(keys).map(JWK::toJSONString).toList())
            + "]}");
  }

  private static String first(String kid) {
    return Jwts.rs256(FIRST.getPrivate(), kid, CLAIMS);
  }

  private static String second(String kid) {
    return Jwts.es256(SECOND.getPrivate(), kid, CLAIMS);
  }

  private void becomes(Class<? extends Verdict> verdict, String token) throws InterruptedException {
    until(() -> verdict.isInstance(verifier.verify(token)));
  }

  private static void until(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      Thread.sleep(5);
    }
  }

  private void rejected(String token) {
    assertThat(verifier.verify(token)).isInstanceOf(Verdict.Rejected.class);
  }

  private void unavailable(String token) {
    assertThat(verifier.verify(token)).isInstanceOf(Verdict.Unavailable.class);
  }

  private void accepted(String token) {
    assertThat(verifier.verify(token)).isInstanceOf(Verdict.Accepted.class);
  }

  @Test
  void aNewKeyIsFetchedWhenATokenNamesIt() throws Exception {
    becomes(Verdict.Accepted.class, first("k1"));
    assertThat(requests).hasValue(1);
    body = set(rsa("k1", FIRST), ec("k2", SECOND));
    nowMs.addAndGet(LEAST_MS);
    unavailable(second("k2"));
    becomes(Verdict.Accepted.class, second("k2"));
    assertThat(requests).hasValue(2);
    accepted(first("k1"));
    body = set(ec("k2", SECOND));
    nowMs.addAndGet(LEAST_MS);
    unavailable(second("k3"));
    becomes(Verdict.Rejected.class, second("k3"));
    unavailable(first("k1")); // withdrawn, but nobody has asked for it by that name before
    assertThat(requests).hasValue(3);
    nowMs.addAndGet(LEAST_MS);
    becomes(Verdict.Rejected.class, first("k1"));
    assertThat(requests).hasValue(4);
  }

  @Test
  void unknownNamesCostOneFetchInAWhile() throws Exception {
    becomes(Verdict.Accepted.class, first("k1"));
    for (int i = 0; i < 100; i++) {
      unavailable(first("x" + i));
    }
    assertThat(requests).hasValue(1);
    nowMs.addAndGet(LEAST_MS);
    rejected(Jwts.hmac(Jwts.SECRET, "{'alg':'HS256','kid':'y'}", CLAIMS));
    rejected(first("y".repeat(257)));
    unavailable(first("y"));
    becomes(Verdict.Rejected.class, first("y"));
    rejected(first("x0"));
    for (int i = 0; i < 100; i++) {
      unavailable(first("z" + i));
    }
    assertThat(requests).hasValue(2);
  }

  @Test
  void aKeyPublishedRightAfterAFetchIsWaitedFor() throws Exception {
    becomes(Verdict.Accepted.class, first("k1"));
    nowMs.addAndGet(LEAST_MS);
    unavailable(first("made-up"));
    becomes(Verdict.Rejected.class, first("made-up"));
    body = set(rsa("k1", FIRST), ec("k2", SECOND));
    for (int i = 0; i < 20; i++) {
      unavailable(second("k2"));
    }
    assertThat(requests).hasValue(2);
    nowMs.addAndGet(LEAST_MS);
    unavailable(second("k2"));
    becomes(Verdict.Accepted.class, second("k2"));
    assertThat(requests).hasValue(3);
  }

  @Test
  void whileTheUrlIsDownTheKeysStayAndNobodyIsTurnedAwayForGood() throws Exception {
    becomes(Verdict.Accepted.class, first("k1"));
    int port = port();
    server.stop(0);
    nowMs.addAndGet(LEAST_MS);
    for (int i = 0; i < 20; i++) {
      unavailable(second("k2"));
      accepted(first("k1"));
      Thread.sleep(5);
    }
    body = set(rsa("k1", FIRST), ec("k2", SECOND));
    server = serve(port);
    becomes(Verdict.Accepted.class, second("k2"));
  }

  @Test
  void withoutAnyKeysYetItIsUnknownWhetherATokenIsGood() throws Exception {
    verifier.close();
    int port = port();
    server.stop(0);
    verifier = verifier(port, 3_600_000);
    unavailable(first("k1"));
    Thread.sleep(50);
    unavailable(first("k1"));
    status = 500;
    server = serve(port);
    until(() -> requests.get() > 1);
    unavailable(first("k1"));
    status = 200;
    body = Jwts.bytes("<html>");
    int before = requests.get();
    until(() -> requests.get() > before + 1);
    unavailable(first("k1"));
    body = set();
    int empty = requests.get();
    until(() -> requests.get() > empty + 1);
    unavailable(first("k1"));
    body = set(rsa("k1", FIRST));
    becomes(Verdict.Accepted.class, first("k1"));
  }

  @Test
  void keysThatWereTakenBackAreNoLongerTaken() throws Exception {
    verifier.close();
    verifier = verifier(port(), 20);
    becomes(Verdict.Accepted.class, first("k1"));
    body = set(ec("k2", SECOND));
    becomes(Verdict.Accepted.class, second("k2"));
    becomes(Verdict.Rejected.class, first("k1"));
  }

  @Test
  void keysForOtherThingsAreLeftOut() throws Exception {
    body =
        set(
            new RSAKey.Builder((RSAPublicKey) FIRST.getPublic())
                .keyID("enc")
                .keyUse(KeyUse.ENCRYPTION)
                .build(),
            new RSAKey.Builder((RSAPublicKey) FIRST.getPublic())
                .keyID("ps")
                .algorithm(com.nimbusds.jose.JWSAlgorithm.PS256)
                .build(),
            new OctetSequenceKey.Builder(Jwts.SECRET).keyID("oct").build(),
            new ECKey.Builder(Curve.P_384, (ECPublicKey) Jwts.ec("secp384r1").getPublic())
                .keyID("p384")
                .build(),
            ec("k2", SECOND));
    verifier.close();
    verifier = verifier(port(), 3_600_000);
    becomes(Verdict.Accepted.class, second("k2"));
    unavailable(first("enc"));
    unavailable(first("ps"));
    nowMs.addAndGet(LEAST_MS);
    becomes(Verdict.Rejected.class, first("enc"));
    rejected(first("ps"));
    rejected(Jwts.hmac(Jwts.SECRET, "{'alg':'HS256','kid':'oct'}", CLAIMS));
  }

  @Test
  void aKeyWithoutNameFitsEveryName(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("jwks.json");
    Files.write(file, set(rsa(null, FIRST)));
    assertThat(Jwks.read(file)).singleElement().matches(key -> key.kid() == null);
    Files.write(file, new byte[600 * 1024]);
    assertThatThrownBy(() -> Jwks.read(file)).hasMessageContaining("more than");
  }
}
