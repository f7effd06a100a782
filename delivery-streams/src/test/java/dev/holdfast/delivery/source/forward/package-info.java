@NullMarked
package dev.holdfast.delivery.source.forward;

import org.jspecify.annotations.NullMarked;
