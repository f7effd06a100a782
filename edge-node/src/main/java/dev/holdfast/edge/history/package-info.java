/**
 * Questions to the log and their answers, for as long as somebody waits. Knows neither sockets nor
 * Kafka: what is asked is an event as any other, what comes back is a delivery.
 */
@NullMarked
package dev.holdfast.edge.history;

import org.jspecify.annotations.NullMarked;
