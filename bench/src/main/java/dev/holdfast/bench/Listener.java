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
  boolean ended;
  int events;
  String position;

  Listener(Wish wish) {
    this.wish = wish;
    this.position = wish.position();
  }
}
