package dev.holdfast.edge.tls;

import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What new connections are encrypted with; follows the files. They are compared by content every
 * two seconds, since a change of time is not to be relied on (a link that is turned, a copy that
 * keeps times). A pair that cannot be used is reported once it was seen twice, so that a change of
 * the two files one after the other is no error, and the one before stays in use. Open connections
 * keep what they began with.
 */
public final class TlsContext implements AutoCloseable {
  static final long POLL_MS = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

  private final TlsFiles files;
  private final InstantSource clock;
  private final List<Consumer<SSLContext>> listeners = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService poller =
      Executors.newSingleThreadScheduledExecutor(TlsContext::thread);
  private PemPair served;
  private @Nullable PemPair doubtful;
  private String reported = "";
  private volatile SSLContext current;

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException with a sentence for the operator, when they cannot be used
   */
  public TlsContext(TlsFiles files, InstantSource clock) {
    this.files = files;
    this.clock = clock;
    try {
      this.served = PemPair.read(files);
      this.current = served.context();
    } catch (BadTlsFiles e) {
      throw new IllegalArgumentException("--tls-cert, --tls-key: " + e.getMessage(), e);
    }
    try {
      served.mustHold(clock.instant());
    } catch (BadTlsFiles e) {
      LOG.atError().log("clients will refuse this certificate: {}", e.getMessage());
    }
  }

  /** The same; null for no files. */
  public static @Nullable TlsContext of(@Nullable TlsFiles files, InstantSource clock) {
    return files == null ? null : new TlsContext(files, clock);
  }

  /** What a connection that begins now is encrypted with. */
  public SSLContext current() {
    return current;
  }

  /** Tells of each later change, on this object's own thread. */
  public void onChange(Consumer<SSLContext> listener) {
    listeners.add(listener);
  }

  /** Begins to watch the files. */
  public void start() {
    var unused =
        poller.scheduleWithFixedDelay(this::pollGuarded, POLL_MS, POLL_MS, TimeUnit.MILLISECONDS);
  }

  /** What is wrong with what the files hold now; empty when nothing is. */
  synchronized String trouble() {
    return reported;
  }

  @Override
  public void close() {
    poller.shutdownNow();
  }

  /** An executor drops a task that throws, silently; the next certificate would never come. */
  private void pollGuarded() {
    try {
      poll();
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("cannot look at {}", files);
    }
  }

  /** Looks at the files once. */
  synchronized void poll() {
    try {
      PemPair found = PemPair.read(files);
      if (found.sameAs(served)) {
        reported = "";
        doubtful = null;
      } else {
        take(found);
      }
    } catch (BadTlsFiles e) {
      report(e.getMessage() == null ? "" : e.getMessage());
    }
  }

  private void take(PemPair found) throws BadTlsFiles {
    SSLContext next;
    X509Certificate leaf;
    try {
      next = found.context();
      found.mustHold(clock.instant());
      leaf = found.leaf();
    } catch (BadTlsFiles e) {
      PemPair before = doubtful;
      doubtful = found;
      if (before != null && before.sameAs(found)) {
        throw e;
      }
      return; // perhaps only one of the two was written yet
    }
    served = found;
    doubtful = null;
    reported = "";
    current = next;
    new ArrayList<>(listeners).forEach(listener -> listener.accept(next));
    LOG.atInfo().log(
        "new connections get the certificate {} that holds until {}",
        leaf.getSubjectX500Principal(),
        leaf.getNotAfter().toInstant());
  }

  private void report(String what) {
    if (!what.equals(reported)) {
      reported = what;
      LOG.atError().log("the new certificate is not used, the one before stays: {}", what);
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "holdfast-tls");
    thread.setDaemon(true);
    return thread;
  }
}
