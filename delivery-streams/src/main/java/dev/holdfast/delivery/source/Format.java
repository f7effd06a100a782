package dev.holdfast.delivery.source;

import dev.holdfast.RawJson;
import dev.holdfast.record.BadRecord;
import dev.holdfast.record.ForeignValue;

/** How the value of a source's record becomes the payload of a message. */
public enum Format {
  /** The value is one JSON value and is passed on as it is written. */
  JSON {
    @Override
    RawJson payload(byte[] value) throws BadRecord {
      return ForeignValue.json(value);
    }
  },

  /** The value is UTF-8 and becomes a JSON string. */
  TEXT {
    @Override
    RawJson payload(byte[] value) throws BadRecord {
      return ForeignValue.text(value);
    }
  },

  /** Any bytes; they become a JSON string of standard base64 with padding. */
  BASE64 {
    @Override
    RawJson payload(byte[] value) {
      return ForeignValue.base64(value);
    }
  };

  /**
   * The payload.
   *
   * @throws BadRecord {@code bad_value}, without repeating the value
   */
  abstract RawJson payload(byte[] value) throws BadRecord;
}
