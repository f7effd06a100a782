/**
 * Beside station 1 of 8: who may come in, and what they may do. Knows tokens and keys; nothing of
 * sockets, sessions or Kafka. Time is an argument.
 */
@NullMarked
package dev.holdfast.edge.auth;

import org.jspecify.annotations.NullMarked;
