package dev.holdfast.bench;

import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Many clients, spread over the edges, on few threads. */
final class Crowd implements AutoCloseable {
  private final ExecutorService threads = Executors.newFixedThreadPool(2, Crowd::daemon);
  private final HttpClient http = HttpClient.newBuilder().executor(threads).build();
  private final List<LoadClient> clients = new ArrayList<>();

  private static Thread daemon(Runnable body) {
    Thread thread = new Thread(body, "crowd");
    thread.setDaemon(true);
    return thread;
  }

  /** Connects {@code count} clients, {@code batch} at a time, and waits for their welcomes. */
  void connect(List<URI> edges, String prefix, int count, int batch, LoadClient.Listener listener)
      throws InterruptedException {
    for (int from = 0; from < count; from += batch) {
      List<CompletableFuture<LoadClient>> some = new ArrayList<>();
      for (int i = from; i < Math.min(count, from + batch); i++) {
        URI edge = edges.get(i % edges.size());
        some.add(LoadClient.connect(http, edge, prefix + i, 0, listener));
      }
      for (CompletableFuture<LoadClient> one : some) {
        clients.add(await(one));
      }
    }
  }

  private static LoadClient await(CompletableFuture<LoadClient> client)
      throws InterruptedException {
    try {
      return client.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("a client was not welcomed", e);
    }
  }

  HttpClient http() {
    return http;
  }

  List<LoadClient> clients() {
    return clients;
  }

  /** Drops every connection. */
  void abort() {
    clients.forEach(LoadClient::abort);
    clients.clear();
  }

  @Override
  public void close() {
    abort();
    threads.shutdownNow();
  }
}
