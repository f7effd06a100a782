/** What a client needs of the world, as interfaces: sockets, HTTP, clocks and timers. */
@NullMarked
package dev.holdfast.client.port;

import org.jspecify.annotations.NullMarked;
