package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.rules.CloseCode.Next;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CloseCodeTest {
  @Test
  @DisplayName("R-1.9 the constants are the table of protocol.md, section 11")
  void table() throws IOException {
    List<String> rows =
        Arrays.stream(CloseCode.values())
            .map(c -> c.code() + " " + c.reason() + " " + words(c.next()))
            .toList();
    assertThat(rowsOfTheDocument()).isEqualTo(rows);
  }

  private static List<String> rowsOfTheDocument() throws IOException {
    Path page =
        Stream.of(Path.of("..", "docs", "protocol.md"), Path.of("docs", "protocol.md"))
            .filter(Files::exists)
            .findFirst()
            .orElseThrow();
    List<String> lines = Files.readAllLines(page);
    return lines.subList(lines.indexOf("## 11 Close codes"), lines.size()).stream()
        .dropWhile(line -> !line.startsWith("|---"))
        .skip(1)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> line.replace("`", "").split("\\|"))
        .map(cells -> cells[1].trim() + " " + cells[2].trim() + " " + cells[3].trim())
        .toList();
  }

  private static String words(Next next) {
    return switch (next) {
      case RECONNECT -> "reconnect";
      case RECONNECT_SOON -> "reconnect soon";
      case NEW_TOKEN -> "new token";
      case STOP -> "stop";
    };
  }

  @Test
  @DisplayName("R-1.9 codes that are not listed go by their range")
  void others() {
    for (int code : new int[] {1005, 1006, 3000, 3999, 4000, 4006, 4399, 4500, 4999}) {
      assertThat(CloseCode.next(code)).as("%d", code).isEqualTo(Next.RECONNECT);
    }
    for (int code : new int[] {1007, 1008, 1010, 4402, 4409, 4499}) {
      assertThat(CloseCode.next(code)).as("%d", code).isEqualTo(Next.STOP);
    }
  }

  @Test
  @DisplayName("R-1.9 refused handshakes")
  void statuses() {
    assertThat(CloseCode.ofStatus(401)).isEqualTo(Next.NEW_TOKEN);
    for (int status : new int[] {400, 403, 426}) {
      assertThat(CloseCode.ofStatus(status)).as("%d", status).isEqualTo(Next.STOP);
    }
    for (int status : new int[] {404, 429, 500, 502, 503}) {
      assertThat(CloseCode.ofStatus(status)).as("%d", status).isEqualTo(Next.RECONNECT);
    }
  }

  @Test
  @DisplayName("a 4005 says when to come again, or nothing")
  void retryAfter() {
    assertThat(CloseCode.retryAfterMs(4005, "rate_limited retryAfterMs=1500")).hasValue(1500);
    assertThat(CloseCode.retryAfterMs(4005, "rate_limited")).isEmpty();
    assertThat(CloseCode.retryAfterMs(4005, "retryAfterMs=1500 or so")).isEmpty();
    assertThat(CloseCode.retryAfterMs(4004, "rate_limited retryAfterMs=1500")).isEmpty();
    assertThat(CloseCode.retryAfterMs(4005, "retryAfterMs=999999999999")).hasValue(3_600_000);
  }
}
