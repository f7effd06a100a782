package dev.holdfast.edge;

import dev.holdfast.edge.session.Transport;
import dev.holdfast.frame.CloseCode;

/** A socket that takes everything and says nothing; a test gives it what it needs besides. */
public class SilentTransport implements Transport {
  @Override
  public boolean send(byte[] frame, long seq) {
    return true;
  }

  @Override
  public boolean sendAhead(byte[] frame) {
    return true;
  }

  @Override
  public void ping() {}

  @Override
  public void close(CloseCode code) {}

  @Override
  public void abort() {}

  @Override
  public long queuedBytes() {
    return 0;
  }

  @Override
  public long handedSeq() {
    return 0;
  }

  @Override
  public void suspendReads() {}

  @Override
  public void resumeReads() {}
}
