/**
 * What operators see of an edge: the page of {@code /metrics}, and sums in the log. Reads the
 * counters that the stations keep; no station knows of it.
 */
@NullMarked
package dev.holdfast.edge.metrics;

import org.jspecify.annotations.NullMarked;
