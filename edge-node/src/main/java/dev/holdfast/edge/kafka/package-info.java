/** What all of an edge's Kafka clients have in common; no station of its own. */
@NullMarked
package dev.holdfast.edge.kafka;

import org.jspecify.annotations.NullMarked;
