/**
 * Figures: what the pipeline costs beside the plain floor, in the same run on the same machine.
 * Latency counts from the moment a message was due, not from when it could be sent (coordinated
 * omission).
 */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
