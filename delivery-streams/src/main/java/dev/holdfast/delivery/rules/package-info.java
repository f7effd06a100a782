/** The one function of the log: step(rows, event) changes rows and yields effects (D2). Pure. */
@NullMarked
package dev.holdfast.delivery.rules;

import org.jspecify.annotations.NullMarked;
