/**
 * At the door, before station 1: who may come in now, and how fast somebody inside may talk. Pure
 * of Undertow and of Kafka; time and chance are arguments. Nothing here grows with the number of
 * addresses or users that knock.
 */
@NullMarked
package dev.holdfast.edge.admission;

import org.jspecify.annotations.NullMarked;
