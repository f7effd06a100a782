/**
 * What a process counts, and the Prometheus page that tells it. {@link dev.holdfast.metrics.Tally}
 * and {@link dev.holdfast.metrics.Latency} are what hot paths touch and know no library; {@link
 * dev.holdfast.metrics.Scrape} is the only place that knows Micrometer.
 */
@NullMarked
package dev.holdfast.metrics;

import org.jspecify.annotations.NullMarked;
