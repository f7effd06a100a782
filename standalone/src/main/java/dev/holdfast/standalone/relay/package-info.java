/**
 * For {@code dev} alone: a way through which pages connect, so that what is shown of broken
 * connections is about connections that really break. It passes bytes on and reads nothing of them
 * but the first line of each connection. Nothing here knows edges or Kafka.
 */
@NullMarked
package dev.holdfast.standalone.relay;

import org.jspecify.annotations.NullMarked;
