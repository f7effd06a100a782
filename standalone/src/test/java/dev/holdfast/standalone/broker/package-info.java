@NullMarked
package dev.holdfast.standalone.broker;

import org.jspecify.annotations.NullMarked;
