package dev.holdfast.client.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
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
  @DisplayName("R-4.7 many subscriptions go out in several frames, each once")
  void frames() {
    List<ObjectNode> wanted = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      wanted.add(Json.object().put("channel", "rooms:" + i));
    }
    List<String> channels = new ArrayList<>();
    for (String frame : Frames.subscribe(wanted, 200)) {
      assertThat(frame.length()).isLessThan(250);
      Json.read(frame).path("channels").forEach(c -> channels.add(c.path("channel").asText()));
    }
    assertThat(channels).hasSize(100).doesNotHaveDuplicates();
    assertThat(Frames.subscribe(wanted.subList(0, 1), 200))
        .containsExactly("{\"type\":\"subscribe\",\"channel\":\"rooms:0\"}");
    assertThat(Frames.subscribe(List.of(), 200)).isEmpty();
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
