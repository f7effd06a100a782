package dev.holdfast.testkit.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The frames that a phone writes and reads. */
final class PhoneFrames {
  private static final ObjectMapper JSON = new ObjectMapper();

  private PhoneFrames() {}

  static String hello(
      String user, String clientId, long lastSeq, @Nullable String epoch, long attempt) {
    ObjectNode hello =
        JSON.createObjectNode()
            .put("type", "hello")
            .put("user", user)
            .put("clientId", clientId)
            .put("lastSeq", lastSeq)
            .put("attempt", attempt);
    if (epoch != null) {
      hello.put("epoch", epoch);
    }
    return hello.toString();
  }

  static String send(String clientMsgId, List<String> toUsers, JsonNode payload) {
    ObjectNode frame = JSON.createObjectNode().put("type", "send").put("clientMsgId", clientMsgId);
    if (toUsers.size() == 1) {
      frame.putObject("to").put("user", toUsers.get(0));
    } else {
      toUsers.forEach(frame.putObject("to").putArray("users")::add);
    }
    frame.set("payload", payload);
    return frame.toString();
  }

  /** Missing when {@code text} is no JSON. */
  static JsonNode read(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }
}
