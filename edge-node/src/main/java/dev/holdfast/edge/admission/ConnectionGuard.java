package dev.holdfast.edge.admission;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one connection used of its limits. Frames are judged under the session's lock; {@link
 * #helloDone} and {@link #gone} may be called from any thread and count once.
 */
public final class ConnectionGuard {
  /** Watches nothing. */
  public static final ConnectionGuard NONE = new ConnectionGuard(null, Occupancy.UNCOUNTED);

  /** Milliseconds within the limit after which an excess is forgotten. */
  static final long FORGIVEN_MS = 3_000;

  /**
   * Least milliseconds that whoever is beyond the limit is told to wait: then nothing is held
   * against it, and it has room for more than one frame. Told less, a client that sends all again
   * would be beyond it with most, again and again, and be closed though it does as it is told.
   */
  static final long RETRY_MS = FORGIVEN_MS + 300;

  /** Milliseconds of excess after which the connection closes, however small it is. */
  static final long PATIENCE_MS = 10_000;

  /** Least milliseconds that a client which was closed stays away; as much again is jitter. */
  static final int BANNED_MS = 5_000;

  private final @Nullable Admission admission;
  private final long address;
  private long frameState = Gcra.UNUSED;
  private long byteState = Gcra.UNUSED;
  private long excessSinceMs;
  private long excessLastMs;
  private int excessFrames;
  private long excessBytes;
  private @Nullable KnownRecipients known;
  private boolean userKnown;
  private boolean helloDone;
  private boolean gone;

  ConnectionGuard(@Nullable Admission admission, long address) {
    this.admission = admission;
    this.address = address;
  }

  /** The user's rate was judged before the upgrade. */
  public void userKnown() {
    userKnown = true;
  }

  /**
   * Judges the user's rate, unless that was done before.
   *
   * @return 0, or the milliseconds after which to try again
   */
  public long user(String user) {
    return admission == null || userKnown ? 0 : admission.user(user);
  }

  /**
   * A frame came in.
   *
   * @return 0 when it is within the limits; otherwise the milliseconds after which it may come
   *     again
   */
  public long frame(int bytes, long nowMs) {
    if (admission == null) {
      return 0;
    }
    long now = nowMs * Gcra.NANOS_PER_MS;
    Gcra frameRate = admission.frames;
    Gcra byteRate = admission.bytes;
    long wait =
        Math.max(
            frameRate.waitNanos(frameState, now, 1), byteRate.waitNanos(byteState, now, bytes));
    if (wait > 0) {
      exceed(bytes, nowMs);
      return Math.max(RETRY_MS, Gcra.toMs(wait));
    }
    frameState = frameRate.spend(frameState, now, 1);
    byteState = byteRate.spend(byteState, now, bytes);
    return 0;
  }

  /**
   * The user writes to these.
   *
   * @return 0; or, where too many of them are new, the milliseconds after which it may try again
   */
  public long newRecipients(String user, List<String> to, long nowMs) {
    if (admission == null || admission.config().newRecipients() == 0) {
      return 0;
    }
    KnownRecipients whom = known == null ? new KnownRecipients() : known;
    known = whom;
    int fresh = 0;
    for (String one : to) {
      fresh += whom.has(one) ? 0 : 1;
    }
    long waitMs = fresh == 0 ? 0 : admission.newRecipients(user, fresh, nowMs);
    if (waitMs == 0 && fresh > 0) {
      to.forEach(whom::add);
    }
    return waitMs;
  }

  /**
   * Whether the client does not heed its refusals: it sent as much again as its burst beyond the
   * limit, or went on beyond it for ten seconds.
   */
  public boolean flooding() {
    return admission != null
        && excessFrames > 0
        && (beyond(excessFrames, admission.frames)
            || beyond(excessBytes, admission.bytes)
            || excessLastMs - excessSinceMs > PATIENCE_MS);
  }

  /** How long a client that is closed for it is told to stay away, jittered. */
  public long bannedMs() {
    return admission == null ? 0 : BANNED_MS + admission.jitterMs(BANNED_MS);
  }

  /** The connection said hello, or will not any more. */
  public synchronized void helloDone() {
    if (admission != null && !helloDone) {
      helloDone = true;
      admission.helloDone(address);
    }
  }

  /** The socket is gone. */
  public synchronized void gone() {
    helloDone();
    if (admission != null && !gone) {
      gone = true;
      admission.gone(address);
    }
  }

  private void exceed(int bytes, long nowMs) {
    if (excessFrames == 0 || nowMs - excessLastMs > FORGIVEN_MS) {
      excessSinceMs = nowMs;
      excessFrames = 0;
      excessBytes = 0;
    }
    excessLastMs = nowMs;
    excessFrames++;
    excessBytes += bytes;
  }

  private static boolean beyond(long excess, Gcra rate) {
    return !rate.isOff() && excess > rate.burst();
  }
}
