package dev.holdfast.bench;

/** One subscriber of an {@link Audience}: what it wants and what it has had. For its thread. */
final class Listener {
  /**
   * What it wants.
   *
   * @param user its client id, and its user
   * @param position where it stands; empty: nowhere
   * @param missed how many events it must have had to be as far as the others
   */
  record Wish(String user, String channel, String position, int missed) {
    String hello() {
      String at = position.isEmpty() ? "" : ",\"position\":\"" + position + '"';
      return "{\"type\":\"hello\",\"clientId\":\""
          + user
          + "\",\"lastSeq\":0,\"channels\":[{\"channel\":\""
          + channel
          + '"'
          + at
          + "}]}";
    }
  }

  final Wish wish;
  boolean subscribed;
  int events;
  String position;

  Listener(Wish wish) {
    this.wish = wish;
    this.position = wish.position();
  }

  /** It stands where a frame says. */
  void stands(String frame) {
    int from = frame.indexOf("\"position\":\"") + 12;
    position = frame.substring(from, frame.indexOf('"', from));
  }

  /** What it would say to go on where it is. */
  Wish again(int missed) {
    return new Wish(wish.user(), wish.channel(), position, missed);
  }
}
