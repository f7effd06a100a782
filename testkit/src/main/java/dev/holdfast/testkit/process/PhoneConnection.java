package dev.holdfast.testkit.process;

/**
 * One connection of a phone. Everything runs under the phone's lock, and nothing once the phone has
 * let this connection go.
 */
final class PhoneConnection implements TextSocket.Events {
  final TextSocket socket = new TextSocket(this);
  private final PhoneClient phone;
  private final Phones phones;
  private boolean welcomed;
  private boolean awaitingPong;

  PhoneConnection(PhoneClient phone, Phones phones) {
    this.phone = phone;
    this.phones = phones;
  }

  @Override
  public void frame(String text) {
    synchronized (phone) {
      if (!phone.isOn(this)) {
        return;
      }
      if (text.equals("pong")) {
        awaitingPong = false;
      } else {
        phone.take(this, text);
      }
    }
  }

  @Override
  public void ended(int code, String reason) {
    synchronized (phone) {
      if (phone.isOn(this)) {
        phone.lost(code);
      }
    }
  }

  /** Runs {@code body} later, unless the connection has ended by then. */
  void later(long ms, Runnable body) {
    phones.schedule(
        ms,
        () -> {
          synchronized (phone) {
            if (phone.isOn(this)) {
              body.run();
            }
          }
        });
  }

  /** Says hello, and gives up when no welcome comes. */
  void greet(String hello) {
    socket.sendText(hello);
    later(
        phones.timing.welcomeTimeoutMs(),
        () -> {
          if (!welcomed) {
            phone.log().count("welcome timeout");
            socket.abort("no welcome");
          }
        });
  }

  boolean isWelcomed() {
    return welcomed;
  }

  /** The welcome came: from now on a heartbeat, as often as told unless the test wants its own. */
  void welcome(long toldHeartbeatMs) {
    welcomed = true;
    long own = phones.timing.heartbeatMs();
    heartbeat(own > 0 ? own : toldHeartbeatMs);
  }

  private void heartbeat(long everyMs) {
    later(
        everyMs,
        () -> {
          if (awaitingPong) {
            phone.log().count("pong timeout");
            socket.abort("no pong");
            return;
          }
          awaitingPong = true;
          socket.sendText("ping");
          heartbeat(everyMs);
        });
  }
}
