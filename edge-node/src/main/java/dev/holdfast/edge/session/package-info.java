/**
 * Station 2 of 8: what a connection may do now. Pure of sockets and of Kafka: the socket is a
 * {@link dev.holdfast.edge.session.Transport}, the way to the log an {@link
 * dev.holdfast.edge.session.EventSink}, time and chance are arguments, so that a simulator can
 * drive the very same code.
 */
@NullMarked
package dev.holdfast.edge.session;

import org.jspecify.annotations.NullMarked;
