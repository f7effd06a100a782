/**
 * The other way into the log, beside ingress: records of the user's own topics are copied into
 * {@code holdfast.events} (D1). Kafka's clients, not Kafka Streams.
 */
@NullMarked
package dev.holdfast.delivery.source.forward;

import org.jspecify.annotations.NullMarked;
