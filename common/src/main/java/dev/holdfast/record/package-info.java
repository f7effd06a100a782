/**
 * What lies in Kafka: events (what happened to a user), deliveries (what an edge must write to a
 * socket), and the rules that the log itself carries.
 */
@NullMarked
package dev.holdfast.record;

import org.jspecify.annotations.NullMarked;
