/**
 * Mailbox sources, the part without Kafka: what becomes of a record of a topic of the user's, where
 * a source begins, and how far it is. {@code forward} is the part that reads and writes.
 */
@NullMarked
package dev.holdfast.delivery.source;

import org.jspecify.annotations.NullMarked;
