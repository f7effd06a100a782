/** Repeats die at the destination: which messages a mailbox already has (D9). Pure. */
@NullMarked
package dev.holdfast.delivery.idempotency;

import org.jspecify.annotations.NullMarked;
