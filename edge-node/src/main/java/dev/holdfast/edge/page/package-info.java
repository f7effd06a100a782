/**
 * Beside the stations: what an edge serves at paths that are not its own, when somebody gives it
 * such. Nothing here knows sockets, sessions or Kafka.
 */
@NullMarked
package dev.holdfast.edge.page;

import org.jspecify.annotations.NullMarked;
