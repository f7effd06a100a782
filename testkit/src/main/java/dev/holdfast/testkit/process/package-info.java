/**
 * Real processes and real sockets for tests: broker, streams and edges each in a JVM of its own
 * that can be killed and paused, a proxy that cuts and freezes, and clients.
 */
@NullMarked
package dev.holdfast.testkit.process;

import org.jspecify.annotations.NullMarked;
