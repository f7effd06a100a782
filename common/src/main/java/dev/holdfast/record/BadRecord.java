package dev.holdfast.record;

/**
 * A record that cannot be read; it goes to dead letters with this reason and stops nobody (D13).
 */
public final class BadRecord extends Exception {
  private static final long serialVersionUID = 1L;

  private final String reason;
  private final String detail;

  /**
   * @param reason one word for the metric and the header, like {@code bad_event}
   * @param detail names what is wrong without repeating the record
   */
  public BadRecord(String reason, String detail) {
    super(detail, null, false, false);
    this.reason = reason;
    this.detail = detail;
  }

  public String reason() {
    return reason;
  }

  public String detail() {
    return detail;
  }
}
