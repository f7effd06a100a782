/** The world as the JDK gives it: {@code java.net.http}, the system's clocks, daemon threads. */
@NullMarked
package dev.holdfast.client.net;

import org.jspecify.annotations.NullMarked;
