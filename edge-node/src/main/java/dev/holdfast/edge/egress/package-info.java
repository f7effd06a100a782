/**
 * Station 7 of 8: deliveries come back from Kafka and find their connection. One consumer, one
 * thread, one partition; nothing here knows sockets.
 */
@NullMarked
package dev.holdfast.edge.egress;

import org.jspecify.annotations.NullMarked;
