package dev.holdfast.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParseResult;

class AuthOptionsTest {
  private static final String SECRET = "hush-hush-hush-hush-hush-hush-hush";

  @TempDir Path dir;

  private static AuthConfig config(Map<String, String> env, String host, String... args) {
    return options(env, "edge", args).config(host, 8080);
  }

  private static AuthOptions options(Map<String, String> env, String command, String... args) {
    List<String> all = new ArrayList<>(List.of(command));
    if (command.equals("edge")) {
      all.addAll(List.of("--bootstrap", "x:1"));
    }
    all.addAll(List.of(args));
    ParseResult parsed = Main.commandLine(env).parseArgs(all.toArray(String[]::new)).subcommand();
    return (AuthOptions)
        Objects.requireNonNull(parsed.commandSpec().mixins().get("auth")).userObject();
  }

  private String file(String name, String text) throws IOException {
    Path file = dir.resolve(name);
    Files.writeString(file, text);
    return file.toString();
  }

  @Test
  void withoutAuthenticationOnlyOnLoopback() {
    for (String host : List.of("127.0.0.1", "127.1.2.3", "localhost", "::1")) {
      assertThat(config(Map.of(), host).jwt()).isNull();
    }
    for (String host : List.of("0.0.0.0", "10.0.0.1", "::", "192.168.1.1")) {
      assertThatThrownBy(() -> config(Map.of(), host))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("--auth none")
          .hasMessageContaining("--insecure")
          .hasMessageContaining(host);
    }
  }

  @Test
  void unlessInsecureIsSaidAnyWay() {
    Map<String, String> env = Map.of("HOLDFAST_INSECURE", "true");
    assertThat(config(Map.of(), "0.0.0.0", "--insecure").jwt()).isNull();
    assertThat(config(env, "0.0.0.0").jwt()).isNull();
    assertThat(config(env, "0.0.0.0", "--insecure").jwt()).isNull();
    assertThatThrownBy(() -> config(env, "0.0.0.0", "--insecure=false"))
        .hasMessageContaining("--insecure");
  }

  @Test
  void withTokensAnyAddressDoes() throws IOException {
    String secret = file("secret", SECRET + "\n");
    AuthConfig config =
        config(
            Map.of("HOLDFAST_JWT_SECRET_FILE", secret, "HOLDFAST_JWT_ISSUER", "idp"),
            "0.0.0.0",
            "--auth=jwt",
            "--jwt-audience=chat",
            "--jwt-leeway-seconds=30");
    AuthConfig.Jwt jwt = Objects.requireNonNull(config.jwt());
    assertThat(((KeyPlace.Secrets) jwt.keys()).secrets())
        .containsExactly(SECRET.getBytes(StandardCharsets.US_ASCII));
    assertThat(jwt.issuer()).isEqualTo("idp");
    assertThat(jwt.audience()).isEqualTo("chat");
    assertThat(jwt.leewayMs()).isEqualTo(30_000);
    assertThat(config.effectiveSessionKeys()).hasSize(1);
  }

  @Test
  void keysComeFromPemOrASet() throws Exception {
    KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
    String pem =
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder().encodeToString(rsa.generateKeyPair().getPublic().getEncoded())
            + "\n-----END PUBLIC KEY-----\n";
    AuthConfig keys = config(Map.of(), "::", "--auth=jwt", "--jwt-key-file", file("pem", pem));
    assertThat(Objects.requireNonNull(keys.jwt()).keys()).isInstanceOf(KeyPlace.PublicKeys.class);
    assertThat(keys.effectiveSessionKeys()).isEmpty();

    String set = file("jwks", "{}");
    AuthConfig jwks =
        config(
            Map.of(), "::", "--auth=jwt", "--jwks", set, "--session-key-file", file("s", SECRET));
    assertThat(Objects.requireNonNull(jwks.jwt()).keys())
        .isEqualTo(new KeyPlace.JwksFile(Path.of(set)));
    assertThat(jwks.effectiveSessionKeys()).hasSize(1);

    AuthConfig url = config(Map.of(), "::", "--auth=jwt", "--jwks=https://idp.example/jwks");
    assertThat(Objects.requireNonNull(url.jwt()).keys())
        .isEqualTo(new KeyPlace.JwksUrl(URI.create("https://idp.example/jwks")));
  }

  @ParameterizedTest
  @CsvSource({
    "--auth=jwt, --jwt-secret-file",
    "--auth=jwt --jwks=x --jwt-key-file=y, --jwt-secret-file",
    "--auth=jwt --jwt-secret-file=/none, --jwt-secret-file",
    "--auth=jwt --jwt-secret-file={short}, --jwt-secret-file",
    "--auth=jwt --jwt-key-file={short}, --jwt-key-file",
    "--auth=jwt --jwks=/none, --jwks",
    "--auth=jwt --jwks=https:///x, --jwks",
    "--auth=jwt --jwks=http://a/^, --jwks",
    "--auth=jwt --jwks={short} --jwt-leeway-seconds=601, --jwt-leeway-seconds",
    "--auth=jwt --jwks={short} --jwt-leeway-seconds=-1, --jwt-leeway-seconds",
    "--session-key-file={short}, --session-key-file",
    "--allow-origin=chat.example.com, --allow-origin",
    "--jwt-issuer=x, --auth jwt",
    "--jwks=x, --auth jwt"
  })
  void whatWillNotDoIsNamed(String args, String option) throws IOException {
    String given = args.replace("{short}", file("short", "hush"));
    assertThatThrownBy(() -> config(Map.of(), "127.0.0.1", given.split(" ")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(option)
        .hasMessageNotContaining("hush");
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://a.example,http://localhost:3000", "*"})
  void originsComeFromEitherSide(String origins) {
    AuthConfig env = config(Map.of("HOLDFAST_ALLOW_ORIGIN", origins), "127.0.0.1");
    AuthConfig line = config(Map.of(), "127.0.0.1", "--allow-origin", origins);
    for (AuthConfig config : List.of(env, line)) {
      assertThat(config.origins().allow("http://localhost:3000", "h")).isTrue();
      assertThat(config.origins().allow("http://localhost:1", "h")).isEqualTo(origins.equals("*"));
    }
    AuthConfig twice =
        config(Map.of(), "::1", "--allow-origin=http://a", "--allow-origin=http://b");
    assertThat(twice.origins().allow("http://a", null)).isTrue();
    assertThat(twice.origins().allow("http://b", null)).isTrue();
  }

  @Test
  void devTakesPagesOfThisMachine() {
    AuthConfig dev = options(Map.of(), "dev").devConfig("127.0.0.1", 8080);
    assertThat(dev.origins().allow("http://localhost:3000", "127.0.0.1:8080")).isTrue();
    AuthConfig edge = config(Map.of(), "127.0.0.1");
    assertThat(edge.origins().allow("http://localhost:3000", "127.0.0.1:8080")).isFalse();
  }
}
