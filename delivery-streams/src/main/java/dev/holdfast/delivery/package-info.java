/** The application that decides, from the ordered log, who gets what. */
@NullMarked
package dev.holdfast.delivery;

import org.jspecify.annotations.NullMarked;
