/** The pipeline against Kafka in a container, and against the whole compose file. */
@NullMarked
package dev.holdfast.testkit.container;

import org.jspecify.annotations.NullMarked;
