/**
 * Station 5 of 8: records of the log come in, the rules decide, deliveries go out. The only package
 * here that knows Kafka.
 */
@NullMarked
package dev.holdfast.delivery.topology;

import org.jspecify.annotations.NullMarked;
