package dev.holdfast.edge.metrics;

import dev.holdfast.edge.channel.ChannelCounters;
import dev.holdfast.metrics.Scrape;

/** What an edge's channels count. */
final class ChannelMetrics {
  private ChannelMetrics() {}

  static void register(Scrape scrape, ChannelCounters c) {
    scrape.gauge(
        "holdfast.edge.channel.subscriptions", "Subscriptions there are", c.subscriptions::get);
    scrape.gauge("holdfast.edge.channel.partitions", "Partitions that are followed", c.feeds::get);
    scrape.gauge(
        "holdfast.edge.channel.catching.up", "Subscriptions that catch up", c.catchingUp::get);
    scrape.gauge("holdfast.edge.channel.kept.bytes", "Bytes kept of them, estimated", c::keptBytes);
    scrape.tally(
        "holdfast.edge.channel.begun", "Subscriptions by how they began", c.begun, "outcome");
    scrape.counter("holdfast.edge.channel.records", "Records that were followed", c.records);
    scrape.counter(
        "holdfast.edge.channel.records.replayed",
        "Records that were read again",
        c.recordsReplayed);
    scrape.counter("holdfast.edge.channel.events", "Events queued for clients", c.eventsSent);
    scrape.counter(
        "holdfast.edge.channel.conflated",
        "Values that were overtaken before they were sent",
        c.conflated);
    scrape.counter("holdfast.edge.channel.repeats", "Records that repeat a message", c.repeats);
    scrape.counter(
        "holdfast.edge.channel.misplaced",
        "Records in another partition than their key's",
        c.misplaced);
    scrape.counter("holdfast.edge.channel.published", "Events written for clients", c.published);
    scrape.latency(
        "holdfast.edge.channel.to.socket.seconds",
        "From a record's timestamp to its subscribers",
        c.toSocket);
  }
}
