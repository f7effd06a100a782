@NullMarked
package dev.holdfast.record;

import org.jspecify.annotations.NullMarked;
