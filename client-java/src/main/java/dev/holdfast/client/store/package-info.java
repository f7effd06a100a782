/** Where a client keeps what outlives its process. */
@NullMarked
package dev.holdfast.client.store;

import org.jspecify.annotations.NullMarked;
