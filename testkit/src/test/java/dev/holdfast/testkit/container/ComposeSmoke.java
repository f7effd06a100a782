package dev.holdfast.testkit.container;

import java.io.IOException;
import java.net.URI;
import java.util.Arrays;
import java.util.List;

/**
 * The client side of {@code docker/smoke}: {@code ComposeSmoke EDGE1 EDGE2 [DISTURBANCE…]}, where
 * each disturbance is a shell command after which everything must still hold.
 */
final class ComposeSmoke {
  private ComposeSmoke() {}

  public static void main(String[] args) throws Exception {
    List<String> disturbances = Arrays.asList(args).subList(2, args.length);
    String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    try (Conversation conversation =
        new Conversation(URI.create(args[0]), URI.create(args[1]), run)) {
      conversation.talk();
      for (String command : disturbances) {
        conversation.survive(command, () -> shell(command));
      }
    }
    System.exit(0); // the HTTP client's threads would linger
  }

  private static void shell(String command) throws IOException, InterruptedException {
    int status = new ProcessBuilder("bash", "-c", command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException(command + " ended with " + status);
    }
  }
}
