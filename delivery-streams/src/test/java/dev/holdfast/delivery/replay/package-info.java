@NullMarked
package dev.holdfast.delivery.replay;

import org.jspecify.annotations.NullMarked;
