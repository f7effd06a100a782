/** What both sides of the pipeline share: the wire's frames, Kafka's records, names and limits. */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
