/** The JDK's sockets against servers that misbehave. */
@NullMarked
package dev.holdfast.client.net;

import org.jspecify.annotations.NullMarked;
