/** The promises, kept by real processes on a real broker. */
@NullMarked
package dev.holdfast.testkit.it;

import org.jspecify.annotations.NullMarked;
