package dev.holdfast.delivery.topology;

/** State and log do not fit together; going on would give seqs out twice or leave gaps. */
public final class StateContradictsLog extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StateContradictsLog(String message) {
    super(message);
  }
}
