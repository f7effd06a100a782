package dev.holdfast.testkit.it;

import dev.holdfast.client.HoldfastClient;
import dev.holdfast.client.State;
import dev.holdfast.client.To;
import dev.holdfast.client.store.FileStore;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * An application that keeps what it writes in a directory, as a process that a test kills.
 * Arguments: directory, URL, user, addressee, how many to write. Prints {@code stored} once they
 * are, and a line for each that was accepted.
 */
final class ClientProgram {
  private ClientProgram() {}

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[4]);
    FileStore store = FileStore.open(Path.of(args[0]));
    HoldfastClient client =
        HoldfastClient.builder().url(args[1]).name("program").user(args[2]).store(store).build();
    client.onSent(sent -> System.out.println("sent " + sent.clientMsgId()));
    for (int i = 1; i <= count; i++) {
      var unused = client.send(To.user(args[3]), i);
    }
    if (count > 0) {
      client.disconnect().toCompletableFuture().get(30, TimeUnit.SECONDS);
      System.out.println("stored");
    }
    client.connect();
    while (client.state() != State.CLOSED) {
      TimeUnit.SECONDS.sleep(1); // until it is killed
    }
  }
}
