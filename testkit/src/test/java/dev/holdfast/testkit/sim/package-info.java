/** The simulator's runs, and proof that it finds what it is made to find. */
@NullMarked
package dev.holdfast.testkit.sim;

import org.jspecify.annotations.NullMarked;
