package dev.holdfast.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.auth.AuthConfig;
import dev.holdfast.edge.auth.AuthConfig.KeyPlace;
import dev.holdfast.edge.auth.KeyFiles;
import dev.holdfast.edge.auth.Origins;
import dev.holdfast.edge.auth.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperationsDocTest {
  @TempDir Path dir;

  @Test
  void theTokenMadeByHandIsGood() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")), "openssl is not installed");
    String page = Files.readString(Path.of("..", "docs", "operations.md"));
    int from = page.indexOf("openssl rand -base64 48 > jwt.secret");
    String script = page.substring(from, page.indexOf("```", from));

    String token = run(script);

    KeyPlace keys = new KeyPlace.Secrets(KeyFiles.secrets(dir.resolve("jwt.secret")));
    AuthConfig config =
        new AuthConfig(new AuthConfig.Jwt(keys, null, null, 0), List.of(), Origins.SAME_HOST);
    try (Access access = Access.of(config, InstantSource.system(), () -> 0)) {
      assertThat(Objects.requireNonNull(access.tokens()).verify(token))
          .isInstanceOfSatisfying(
              Verdict.Accepted.class,
              accepted -> assertThat(accepted.credential().user()).isEqualTo("alice"));
    }
  }

  private String run(String script) throws IOException, InterruptedException {
    Process bash =
        new ProcessBuilder("bash", "-c", script)
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .start();
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return out.strip();
  }
}
