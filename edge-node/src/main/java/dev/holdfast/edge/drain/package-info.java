/**
 * How an edge lets its connections go: spread out, so that nobody has to take them all at once.
 * Knows sessions, but neither sockets nor Kafka.
 */
@NullMarked
package dev.holdfast.edge.drain;

import org.jspecify.annotations.NullMarked;
