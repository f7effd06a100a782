/** Stores, and what is left of them after a process was killed. */
@NullMarked
package dev.holdfast.client.store;

import org.jspecify.annotations.NullMarked;
