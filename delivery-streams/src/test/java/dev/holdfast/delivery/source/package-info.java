@NullMarked
package dev.holdfast.delivery.source;

import org.jspecify.annotations.NullMarked;
