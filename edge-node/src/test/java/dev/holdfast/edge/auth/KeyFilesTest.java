package dev.holdfast.edge.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFilesTest {
  @TempDir Path dir;
  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = dir.resolve("keys");
  }

  private void write(String text) throws IOException {
    Files.write(file, Jwts.bytes(text));
  }

  @Test
  void eachLineIsASecret() throws IOException {
    write("a".repeat(32) + "\r\n\n  " + "b".repeat(40) + "\n");
    assertThat(KeyFiles.secrets(file))
        .containsExactly(Jwts.bytes("a".repeat(32)), Jwts.bytes("b".repeat(40)));
  }

  @Test
  void bytesThatAreNoTextAreOneSecret() throws IOException {
    byte[] bytes = new byte[32];
    Arrays.fill(bytes, (byte) '\n');
    bytes[3] = (byte) 0x80;
    Files.write(file, bytes);
    assertThat(KeyFiles.secrets(file)).containsExactly(bytes);
  }

  @Test
  void whatIsMissingOrTooShortIsSaid() throws IOException {
    assertThatThrownBy(() -> KeyFiles.secrets(file)).hasMessageContaining("cannot read " + file);
    write("\n");
    assertThatThrownBy(() -> KeyFiles.secrets(file)).hasMessageContaining("is empty");
    write("a".repeat(32) + "\n" + "hush".repeat(7) + "abc\n");
    assertThatThrownBy(() -> KeyFiles.secrets(file))
        .hasMessageContaining("31 bytes")
        .hasMessageNotContaining("hush");
  }

  @Test
  void publicKeysInOneFile() throws IOException {
    KeyPair rsa = Jwts.rsa(2048);
    KeyPair ec = Jwts.ec("secp256r1");
    write(
        "made by openssl\n"
            + Jwts.pem("PUBLIC KEY", rsa.getPublic().getEncoded())
            + Jwts.pem("PUBLIC KEY", ec.getPublic().getEncoded()));
    assertThat(KeyFiles.publicKeys(file)).containsExactly(rsa.getPublic(), ec.getPublic());
  }

  @Test
  void otherBlocksAreRefused() throws IOException {
    KeyPair rsa = Jwts.rsa(2048);
    write(Jwts.pem("PRIVATE KEY", rsa.getPrivate().getEncoded()));
    assertThatThrownBy(() -> KeyFiles.publicKeys(file)).hasMessageContaining("private key");
    write(Jwts.pem("PUBLIC KEY", Jwts.rsa(1024).getPublic().getEncoded()));
    assertThatThrownBy(() -> KeyFiles.publicKeys(file)).hasMessageContaining("1024 bits");
    write(Jwts.pem("PUBLIC KEY", new byte[10]));
    assertThatThrownBy(() -> KeyFiles.publicKeys(file)).hasMessageContaining(file.toString());
    write(Jwts.pem("X509 CRL", new byte[10]));
    assertThatThrownBy(() -> KeyFiles.publicKeys(file)).hasMessageContaining("X509 CRL");
    write("nothing");
    assertThatThrownBy(() -> KeyFiles.publicKeys(file)).hasMessageContaining("BEGIN PUBLIC KEY");
  }
}
