/** Tables in docs/ say what the code says. */
@NullMarked
package dev.holdfast.testkit.docs;

import org.jspecify.annotations.NullMarked;
