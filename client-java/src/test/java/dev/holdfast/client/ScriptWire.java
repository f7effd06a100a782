package dev.holdfast.client;

import dev.holdfast.client.port.Ended;
import dev.holdfast.client.port.Socket;
import dev.holdfast.client.port.SocketListener;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A connection of a transcript: what the client does with it is written down. */
final class ScriptWire implements Socket {
  final SocketListener listener;
  final ArrayDeque<String> sent = new ArrayDeque<>();
  @Nullable Ended closed;

  ScriptWire(SocketListener listener) {
    this.listener = listener;
  }

  @Override
  public void send(String text) {
    sent.add(text);
  }

  @Override
  public void close(int code, String reason) {
    closed = Ended.closed(code, reason);
  }

  @Override
  public void abort() {
    closed = Ended.broken("aborted");
  }

  @Override
  public void more() {}
}
