package dev.holdfast.frame;

/** A field of a frame and what it must be. */
enum Field {
  TYPE("type", "a string"),
  CLIENT_ID("clientId", "a string"),
  USER("user", "a string"),
  EPOCH("epoch", "a string"),
  CLIENT_MSG_ID("clientMsgId", "a string"),
  CHANNEL("channel", "a string"),
  TOKEN("token", "a string"),
  SESSION_TOKEN("sessionToken", "a string"),
  FROM("from", "a string"),
  LAST_SEQ("lastSeq", "an integer from 0"),
  ATTEMPT("attempt", "an integer from 0"),
  SEQ("seq", "an integer from 0"),
  TO("to", "{user} or {users}"),
  POSITION("position", "a string"),
  MAX_RATE("maxRate", "a number from 0.01 to 1000"),
  PAYLOAD("payload", "any JSON");

  private final String wire;
  private final String wanted;

  Field(String wire, String wanted) {
    this.wire = wire;
    this.wanted = wanted;
  }

  /** Its name in frames. */
  String wire() {
    return wire;
  }

  /** What it must be, as the end of a sentence. */
  String wanted() {
    return wanted;
  }
}
