package dev.holdfast.edge.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsContextTest {
  @TempDir Path dir = Path.of("");

  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC"})
  void takesANewPair(String algorithm) throws Exception {
    TlsFiles files = Certificates.write(dir, "first", algorithm);
    TlsFiles next = Certificates.write(dir, "second", "EC");
    try (TlsContext tls = new TlsContext(files, InstantSource.system())) {
      SSLContext before = tls.current();
      List<SSLContext> told = new ArrayList<>();
      tls.onChange(told::add);
      tls.poll();
      assertThat(tls.current()).isSameAs(before);
      copy(next.certificate(), files.certificate());
      tls.poll();
      assertThat(tls.current()).as("the key is still the old one").isSameAs(before);
      copy(next.key(), files.key());
      tls.poll();
      assertThat(tls.current()).isNotSameAs(before);
      assertThat(told).containsExactly(tls.current());
    }
  }

  @Test
  void keepsTheOldPairWhenTheNewOneIsBroken() throws Exception {
    TlsFiles files = Certificates.write(dir, "first", "EC");
    TlsFiles expired = Certificates.write(dir, "old", "EC", "-startdate", "-10d", "-validity", "3");
    try (TlsContext tls = new TlsContext(files, InstantSource.system())) {
      SSLContext before = tls.current();
      byte[] good = Files.readAllBytes(files.certificate());
      Files.writeString(files.certificate(), "nothing");
      twice(tls);
      assertThat(tls.current()).isSameAs(before);
      assertThat(tls.trouble()).contains("first.crt is no PEM file of certificates");
      Files.delete(files.certificate());
      twice(tls);
      assertThat(tls.trouble()).contains("first.crt is not there");
      copy(expired.certificate(), files.certificate());
      twice(tls);
      assertThat(tls.trouble()).contains("first.key is not the key of the first certificate");
      byte[] key = Files.readAllBytes(files.key());
      copy(expired.key(), files.key());
      twice(tls);
      assertThat(tls.trouble()).contains("first.crt expired at");
      assertThat(tls.current()).isSameAs(before);
      Files.write(files.certificate(), good);
      Files.write(files.key(), key);
      tls.poll();
      assertThat(tls.trouble()).isEmpty();
      assertThat(tls.current()).isSameAs(before);
    }
  }

  private static void twice(TlsContext tls) {
    tls.poll();
    tls.poll();
  }

  @Test
  void saysAtTheStartWhatIsWrong() throws Exception {
    TlsFiles files = Certificates.write(dir, "first", "RSA");
    TlsFiles other = Certificates.write(dir, "second", "RSA");
    refuses(new TlsFiles(files.certificate(), other.key()), "second.key is not the key of");
    refuses(new TlsFiles(files.key(), files.key()), "first.key");
    refuses(new TlsFiles(files.certificate(), files.certificate()), "holds no unencrypted PKCS#8");
    refuses(new TlsFiles(dir.resolve("none"), files.key()), "none is not there");
    Path pkcs1 = dir.resolve("pkcs1.key");
    Files.writeString(
        pkcs1, Files.readString(files.key()).replace("PRIVATE KEY", "RSA PRIVATE KEY"));
    refuses(new TlsFiles(files.certificate(), pkcs1), "openssl pkcs8 -topk8 -nocrypt");
  }

  private static void refuses(TlsFiles files, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TlsContext(files, InstantSource.system()).close())
        .withMessageContaining("--tls-cert")
        .withMessageContaining(why);
  }

  private static void copy(Path from, Path to) throws Exception {
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
  }
}
