@NullMarked
package dev.holdfast.standalone;

import org.jspecify.annotations.NullMarked;
