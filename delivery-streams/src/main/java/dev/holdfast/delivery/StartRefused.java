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

  /** What an error behind {@code e} says, for a message to an operator. */
  public static String said(Throwable e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }
}
