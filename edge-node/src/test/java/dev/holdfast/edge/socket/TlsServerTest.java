package dev.holdfast.edge.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Limits;
import dev.holdfast.edge.admission.AdmissionConfig;
import dev.holdfast.edge.tls.Certificates;
import dev.holdfast.edge.tls.TlsContext;
import dev.holdfast.edge.tls.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TlsServerTest {
  @TempDir Path dir = Path.of("");
  private TlsFiles files = new TlsFiles(dir, dir);
  private TestServer server = new TestServer(Limits.DEFAULT);

  @BeforeEach
  void start() throws Exception {
    server.close();
    files = Certificates.write(dir, "first", "RSA");
    TlsContext tls = new TlsContext(files, InstantSource.system());
    server = new TestServer(Limits.DEFAULT, AdmissionConfig.OPEN, tls);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void speaksTls(String version) throws Exception {
    try (RawClient client = RawClient.over(tls(version))) {
      assertThat(version(client)).isEqualTo(version);
      assertThat(name(client)).isEqualTo("CN=first");
      client.greet("c");
      client.text("ping");
      assertThat(client.next()).isEqualTo("pong");
      client.text("{\"type\":\"ping\",\"x\":\"" + "x".repeat(90_000) + "\"}");
      assertThat(client.next()).contains("\"pong\"");
    }
    await().until(() -> server.admission.openSockets() == 0);
  }

  @Test
  void doesNotAnswerPlainHttp() throws Exception {
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      plain.setSoTimeout(10_000);
      plain
          .getOutputStream()
          .write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(rest(plain)).doesNotContain("HTTP/1.1");
    }
  }

  @Test
  void newConnectionsGetTheNewCertificateAndOldOnesGoOn() throws Exception {
    TlsFiles next = Certificates.write(dir, "second", "EC");
    try (RawClient old = RawClient.over(tls("TLSv1.3"))) {
      old.greet("old");
      Files.copy(next.certificate(), files.certificate(), StandardCopyOption.REPLACE_EXISTING);
      Files.copy(next.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
      await().atMost(Duration.ofSeconds(20)).until(() -> served().equals("CN=second"));
      old.text("ping");
      assertThat(old.next()).isEqualTo("pong");
      try (RawClient client = RawClient.over(tls("TLSv1.2"))) {
        client.greet("new");
        assertThat(name(client)).isEqualTo("CN=second");
      }
    }
  }

  private static String rest(Socket socket) throws IOException {
    try {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (SocketException e) {
      return "reset";
    }
  }

  private String served() throws Exception {
    try (SSLSocket socket = tls("TLSv1.3")) {
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
          .getSubjectX500Principal()
          .getName();
    }
  }

  private static String version(RawClient client) {
    return ((SSLSocket) client.socket()).getSession().getProtocol();
  }

  private static String name(RawClient client) throws SSLException {
    return ((X509Certificate) ((SSLSocket) client.socket()).getSession().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }

  private SSLSocket tls(String version) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustAll()}, null);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", server.port());
    socket.setSoTimeout(10_000);
    socket.setEnabledProtocols(new String[] {version});
    socket.startHandshake();
    return socket;
  }

  private static final class TrustAll implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
