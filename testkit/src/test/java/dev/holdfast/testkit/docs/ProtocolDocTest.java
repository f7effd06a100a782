package dev.holdfast.testkit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frame.CloseCode;
import dev.holdfast.frame.CloseCode.ClientDoes;
import dev.holdfast.frame.ErrorCode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProtocolDocTest {
  @Test
  void errorCodesAreTheConstants() throws IOException {
    List<List<String>> expected =
        Arrays.stream(ErrorCode.values())
            .map(code -> List.of(code.wire(), code.retryable() ? "yes" : "no"))
            .toList();
    assertThat(columns("## 10 Error codes", 2)).isEqualTo(expected);
  }

  @Test
  void closeCodesAreTheConstants() throws IOException {
    List<List<String>> expected =
        Arrays.stream(CloseCode.values())
            .map(c -> List.of(String.valueOf(c.code()), c.reason(), what(c.clientDoes())))
            .toList();
    assertThat(columns("## 11 Close codes", 3)).isEqualTo(expected);
  }

  private static String what(ClientDoes clientDoes) {
    return switch (clientDoes) {
      case RECONNECT -> "reconnect";
      case RECONNECT_SOON -> "reconnect soon";
      case NEW_TOKEN -> "new token";
      case STOP -> "stop";
    };
  }

  private static List<List<String>> columns(String heading, int count) throws IOException {
    return MarkdownPage.read("protocol.md").table(heading).stream()
        .map(row -> row.subList(0, count))
        .toList();
  }
}
