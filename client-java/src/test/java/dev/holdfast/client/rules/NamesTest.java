package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NamesTest {
  @Test
  @DisplayName("names, channels and ids are checked before anything is sent")
  void names() {
    assertThat(Names.check("user", "bob@x.y:1~-_")).isNotEmpty();
    for (String bad : new String[] {"", "b b", "é", "a".repeat(129)}) {
      assertThatThrownBy(() -> Names.check("user", bad)).hasMessageContaining("user must be");
    }
    assertThat(Names.checkChannel("rooms:lobby")).isNotEmpty();
    for (String bad : new String[] {"rooms", ":a", "a:\n", "a:" + "b".repeat(255)}) {
      assertThatThrownBy(() -> Names.checkChannel(bad)).hasMessageContaining("a channel is");
    }
    assertThatThrownBy(() -> Names.checkMessageId("")).hasMessageContaining("1 to 64");
    assertThatThrownBy(() -> Names.checkMessageId("a\0b")).hasMessageContaining("U+0000");
  }

  @Test
  @DisplayName("whose a token is")
  void tokens() {
    String claims =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"sub\":\"bob\"}".getBytes(StandardCharsets.UTF_8));
    assertThat(Tokens.user("h." + claims + ".s")).isEqualTo("bob");
    assertThat(Tokens.user("t1")).isNull();
    assertThat(Tokens.user("a.%%%.c")).isNull();
    assertThat(Tokens.user("a.e30.c")).isNull();
  }

  @Test
  @DisplayName("numbers keep their digits")
  void digits() {
    String text = "{\"a\":1.00,\"b\":12345678901234567890123,\"c\":0.1000000000000000055}";
    assertThat(Json.read(text)).hasToString(text);
    assertThatThrownBy(() -> Json.read("{} x")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Json.read("")).isInstanceOf(IllegalArgumentException.class);
  }
}
