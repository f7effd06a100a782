/** A real Kafka broker in this process, for development and tests: KRaft, one node, loopback. */
@NullMarked
package dev.holdfast.standalone.broker;

import org.jspecify.annotations.NullMarked;
