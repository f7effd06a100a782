package dev.holdfast.standalone;

import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.Jwt;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.KeyFiles;
import dev.holdfast.edge.auth.Origins;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Who may come in at an edge. */
final class AuthOptions {
  private static final int MAX_LEEWAY_S = 600;

  /** Who may connect. */
  enum Mode {
    none,
    jwt
  }

  @Option(
      names = "--auth",
      defaultValue = "none",
      paramLabel = "none|jwt",
      description =
          "Who may connect: none takes every client at its word, jwt asks for a token."
              + " Default: ${DEFAULT-VALUE}.")
  private Mode auth = Mode.none;

  @Option(
      names = "--insecure",
      arity = "0..1",
      paramLabel = "true|false",
      defaultValue = "false",
      fallbackValue = "true",
      description = "Allow --auth none on an address that others can reach.")
  private boolean insecure;

  @Option(
      names = "--jwt-secret-file",
      paramLabel = "FILE",
      description =
          "Secrets for HS256, one a line, each of 32 bytes or more; a token may be signed with"
              + " any.")
  private @Nullable Path secretFile;

  @Option(
      names = "--jwt-key-file",
      paramLabel = "FILE",
      description = "Public keys in PEM, one or several: RSA for RS256, P-256 for ES256.")
  private @Nullable Path keyFile;

  @Option(
      names = "--jwks",
      paramLabel = "URL|FILE",
      description =
          "A JSON Web Key Set (RS256, ES256), fetched again every 5 minutes, or 10 s for a file,"
              + " and when a token names a key that it does not have.")
  private @Nullable String jwks;

  @Option(
      names = "--jwt-issuer",
      paramLabel = "TEXT",
      description = "What iss must be. Default: not checked.")
  private @Nullable String issuer;

  @Option(
      names = "--jwt-audience",
      paramLabel = "TEXT",
      description = "What aud must be or contain. Default: not checked.")
  private @Nullable String audience;

  @Option(
      names = "--jwt-leeway-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "By how much clocks may differ, for exp and nbf; 0 to 600. Default: ${DEFAULT-VALUE}.")
  private int leewaySeconds = 10;

  @Option(
      names = "--session-key-file",
      paramLabel = "FILE",
      description =
          "Keys for session tokens, one a line, the same on all edges; the first signs, all are"
              + " accepted. Default: made of the secrets in --jwt-secret-file; without these,"
              + " session tokens are not signed.")
  private @Nullable Path sessionKeyFile;

  @Option(
      names = "--allow-origin",
      split = ",",
      paramLabel = "ORIGIN",
      description =
          "Origins of web pages that may connect, like https://chat.example.com, several with"
              + " commas between; * for all. Default: pages of the same host, in dev those of"
              + " this machine.")
  private @Nullable List<String> allowOrigin;

  /**
   * What was given, for an edge on {@code host}.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  AuthConfig config(String host, int port) {
    return config(host, port, Origins.SAME_HOST);
  }

  /** The same for an edge whose pages are this machine's. */
  AuthConfig devConfig(String host, int port) {
    return config(host, port, Origins.LOOPBACK);
  }

  private AuthConfig config(String host, int port, Origins byDefault) {
    List<String> named = allowOrigin;
    Origins origins =
        named == null ? byDefault : checked("--allow-origin", () -> Origins.only(named));
    Path sessionKeys = sessionKeyFile;
    List<byte[]> keys =
        sessionKeys == null
            ? List.of()
            : checked("--session-key-file", () -> KeyFiles.secrets(sessionKeys));
    if (auth == Mode.jwt) {
      return new AuthConfig(jwt(), keys, origins);
    }
    if (Stream.of(secretFile, keyFile, jwks, issuer, audience).anyMatch(Objects::nonNull)) {
      throw new IllegalArgumentException("--jwt-... and --jwks need --auth jwt");
    }
    if (!insecure && !isLoopback(host)) {
      throw new IllegalArgumentException(
          "--auth none would let whoever reaches "
              + host
              + ":"
              + port
              + " be any user; use --auth jwt, or --host 127.0.0.1, or say --insecure too");
    }
    return new AuthConfig(null, keys, origins);
  }

  private Jwt jwt() {
    if (leewaySeconds < 0 || leewaySeconds > MAX_LEEWAY_S) {
      throw new IllegalArgumentException(
          "--jwt-leeway-seconds must be 0 to " + MAX_LEEWAY_S + ", not " + leewaySeconds);
    }
    return new Jwt(keyPlace(), issuer, audience, leewaySeconds * 1_000L);
  }

  private KeyPlace keyPlace() {
    Path secrets = secretFile;
    Path keys = keyFile;
    String set = jwks;
    if (Stream.of(secrets, keys, set).filter(Objects::nonNull).count() == 1) {
      if (secrets != null) {
        return new KeyPlace.Secrets(checked("--jwt-secret-file", () -> KeyFiles.secrets(secrets)));
      }
      if (keys != null) {
        return new KeyPlace.PublicKeys(checked("--jwt-key-file", () -> KeyFiles.publicKeys(keys)));
      }
      if (set != null) {
        return checked("--jwks", () -> keySet(set));
      }
    }
    throw new IllegalArgumentException(
        "--auth jwt needs one of --jwt-secret-file, --jwt-key-file and --jwks");
  }

  private static KeyPlace keySet(String place) {
    String lower = place.toLowerCase(Locale.ROOT);
    if (lower.startsWith("http://") || lower.startsWith("https://")) {
      URI url = URI.create(place);
      if (url.getHost() == null) {
        throw new IllegalArgumentException("the URL names no host");
      }
      return new KeyPlace.JwksUrl(url);
    }
    Path file = lower.startsWith("file:") ? Path.of(URI.create(place)) : Path.of(place);
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("cannot read " + file);
    }
    return new KeyPlace.JwksFile(file);
  }

  private static <T> T checked(String option, Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
    }
  }

  static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
