@NullMarked
package dev.holdfast.standalone.relay;

import org.jspecify.annotations.NullMarked;
