/** Who may import what. */
@NullMarked
package dev.holdfast.delivery;

import org.jspecify.annotations.NullMarked;
