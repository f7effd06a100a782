package dev.holdfast.client;

/** Why a {@link HoldfastClient#send} came to nothing. */
public final class NotSentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final boolean uncertain;

  NotSentException(String reason, boolean uncertain, String message) {
    super(message);
    this.reason = reason;
    this.uncertain = uncertain;
  }

  /** As in {@link Dropped#reason}. */
  public String reason() {
    return reason;
  }

  /** It had been sent: it may have arrived. */
  public boolean uncertain() {
    return uncertain;
  }
}
