package dev.holdfast.standalone.pages;

import dev.holdfast.edge.page.Pages;
import dev.holdfast.standalone.relay.Links;
import java.util.HashSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * What {@code dev} serves beside an edge's own paths.
 *
 * <pre>
 *  /, /chat.html, /market.html, ...        files                      {@link StaticPages}
 *  /dev/status, /dev/links/..., ...        this process, and its links {@link DevControl}
 * </pre>
 */
public final class DevPages implements Pages, AutoCloseable {
  /** Always the same walk: what somebody saw can be seen again. */
  private static final long SEED = 42;

  private static final String CONTROL = "/dev/";

  private final StaticPages files = new StaticPages();
  private final ScheduledExecutorService timer;
  private final Flood flood;
  private final DevControl control;
  private final EdgeBoard board;
  private final boolean tokens;
  private volatile @Nullable Market market;
  private volatile @Nullable QuoteTopic quotes;

  /**
   * @param tokens whether clients need tokens, which the pages do not have
   */
  public DevPages(EdgeBoard board, Links links, boolean tokens) {
    this.board = board;
    this.tokens = tokens;
    this.timer =
        Executors.newScheduledThreadPool(
            1,
            body -> {
              Thread thread = new Thread(body, "holdfast-pages");
              thread.setDaemon(true);
              return thread;
            });
    this.flood = new Flood(timer, this::edgeUp);
    this.control = new DevControl(board, links, flood, () -> market, new Guard(this::origins));
  }

  /** Has prices written to {@code topic} from now on, when a page asks for them. */
  public void market(String bootstrap, String topic) {
    QuoteTopic writer = new QuoteTopic(bootstrap, topic);
    quotes = writer;
    market = new Market(timer, writer, () -> System.nanoTime() / 1_000_000, new Random(SEED));
  }

  @Override
  public @Nullable Answer answer(Request request) {
    if (request.path().startsWith(CONTROL)) {
      return control.answer(request, files.hasLibrary(), tokens);
    }
    return files.answer(request);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    Market last = market;
    QuoteTopic writer = quotes;
    if (last != null && writer != null) {
      last.close();
      writer.close();
    }
  }

  private @Nullable String edgeUp() {
    return board.edges().stream()
        .filter(EdgeBoard.View::up)
        .map(EdgeBoard.View::http)
        .findFirst()
        .orElse(null);
  }

  /** Of this process's pages: any edge's port, by address and by name. */
  private Set<String> origins() {
    Set<String> own = new HashSet<>();
    for (EdgeBoard.View edge : board.edges()) {
      own.add(edge.http().toLowerCase(Locale.ROOT));
      own.add(edge.http().replace("127.0.0.1", "localhost"));
    }
    return own;
  }
}
