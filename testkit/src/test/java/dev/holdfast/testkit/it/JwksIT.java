package dev.holdfast.testkit.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.testkit.process.Cluster;
import dev.holdfast.testkit.process.ClusterSpec;
import dev.holdfast.testkit.process.EdgeClient;
import dev.holdfast.testkit.process.TestPorts;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real edge that takes its keys from an identity provider, which comes late and rotates them. */
@Tag("campaign")
final class JwksIT {
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
  private static final String HOST = "127.0.0.1";

  /** Longer than the edge waits between two fetches. */
  private static final Duration FETCHED = Duration.ofSeconds(30);

  private static final int TRY_AGAIN = 1013;
  private static final int UNAUTHORIZED = 4401;
  private static final int WELCOME = 0;

  @Test
  @DisplayName("--jwks: without keys come again, with them RS256 alone, rotated without a restart")
  void keysComeLateAndRotate() throws Exception {
    KeyPair first = rsa();
    KeyPair second = rsa();
    int port = TestPorts.free();
    try (Cluster cluster =
        Cluster.start(
            ClusterSpec.named("jwks")
                .withReplicas("a")
                .withEdges(1)
                .withEdgeOptions("--auth", "jwt", "--jwks", "http://" + HOST + ":" + port + "/"))) {
      String good = token("a", first);
      assertThat(outcome(cluster, good)).as("no key was ever there").isEqualTo(TRY_AGAIN);

      HttpServer provider = provider(port, keySet("a", first));
      await().atMost(FETCHED).until(() -> outcome(cluster, good) == WELCOME);
      String claims = good.split("\\.", -1)[1];
      assertThat(outcome(cluster, base64("{\"alg\":\"none\"}") + '.' + claims + '.'))
          .isEqualTo(UNAUTHORIZED);
      assertThat(outcome(cluster, publicKeyAsSecret(first))).isEqualTo(UNAUTHORIZED);
      assertThat(outcome(cluster, token("a", second))).as("forged").isEqualTo(UNAUTHORIZED);
      provider.stop(0);

      HttpServer rotated = provider(port, keySet("b", second));
      await().atMost(FETCHED).until(() -> outcome(cluster, token("b", second)) == WELCOME);
      assertThat(outcome(cluster, good)).as("its key was withdrawn").isNotEqualTo(WELCOME);
      rotated.stop(0);
    }
  }

  /** 0 for a welcome, otherwise the close code. */
  private static int outcome(Cluster cluster, String token) throws InterruptedException {
    try (EdgeClient client = EdgeClient.connect(cluster.edgeUri(0))) {
      client.hello(Map.of("clientId", "phone", "token", token));
      await().until(() -> client.closed().isDone() || welcomed(client));
      return client.closed().isDone() ? client.closed().join().code() : WELCOME;
    }
  }

  private static boolean welcomed(EdgeClient client) {
    return client.pending().stream().anyMatch(f -> f.path("type").asText().equals("welcome"));
  }

  private static HttpServer provider(int port, String keys) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = keys.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static KeyPair rsa() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2_048);
    return generator.generateKeyPair();
  }

  private static String keySet(String kid, KeyPair pair) {
    RSAPublicKey key = (RSAPublicKey) pair.getPublic();
    return "{\"keys\":[{\"kty\":\"RSA\",\"alg\":\"RS256\",\"use\":\"sig\",\"kid\":\""
        + kid
        + "\",\"n\":\""
        + unsigned(key.getModulus())
        + "\",\"e\":\""
        + unsigned(key.getPublicExponent())
        + "\"}]}";
  }

  private static String unsigned(BigInteger number) {
    byte[] bytes = number.toByteArray();
    int from = bytes[0] == 0 ? 1 : 0;
    return BASE64.encodeToString(Arrays.copyOfRange(bytes, from, bytes.length));
  }

  private static String token(String kid, KeyPair pair) throws GeneralSecurityException {
    String body = base64("{\"alg\":\"RS256\",\"kid\":\"" + kid + "\"}") + '.' + claims();
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(pair.getPrivate());
    signature.update(body.getBytes(StandardCharsets.US_ASCII));
    return body + '.' + BASE64.encodeToString(signature.sign());
  }

  /** What a verifier takes that lets the token choose: HS256 with the public key as the secret. */
  private static String publicKeyAsSecret(KeyPair pair) {
    String pem =
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'})
                .encodeToString(pair.getPublic().getEncoded())
            + "\n-----END PUBLIC KEY-----\n";
    return new Tokens(pem).issue("ann", 60, "");
  }

  private static String claims() {
    long exp = System.currentTimeMillis() / 1_000 + 120;
    return base64("{\"sub\":\"ann\",\"exp\":" + exp + '}');
  }

  private static String base64(String text) {
    return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
