/**
 * Station 3 of 8: accepted frames leave for Kafka. One queue, one thread, one producer; nothing
 * here knows sockets.
 */
@NullMarked
package dev.holdfast.edge.ingress;

import org.jspecify.annotations.NullMarked;
