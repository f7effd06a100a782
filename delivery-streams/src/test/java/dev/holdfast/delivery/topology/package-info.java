@NullMarked
package dev.holdfast.delivery.topology;

import org.jspecify.annotations.NullMarked;
