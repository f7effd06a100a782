/**
 * What the rules read and write: rows under ordered keys, a place in the log, effects. Nothing here
 * knows Kafka.
 */
@NullMarked
package dev.holdfast.delivery.state;

import org.jspecify.annotations.NullMarked;
