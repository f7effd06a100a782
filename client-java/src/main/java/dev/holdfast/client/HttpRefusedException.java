package dev.holdfast.client;

/** A server answered an HTTP request with something else than 200. */
public final class HttpRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  HttpRefusedException(int status, String code) {
    super("HTTP " + status + " " + code);
    this.status = status;
    this.code = code;
  }

  public int status() {
    return status;
  }

  /** The problem document's {@code code}; empty where there is none. */
  public String code() {
    return code;
  }
}
