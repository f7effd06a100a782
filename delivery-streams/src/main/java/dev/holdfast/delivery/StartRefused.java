package dev.holdfast.delivery;

/** The application will not start; the message says why and what to do about it. */
public final class StartRefused extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StartRefused(String message) {
    super(message);
  }

  public StartRefused(String message, Throwable cause) {
    super(message, cause);
  }
}
