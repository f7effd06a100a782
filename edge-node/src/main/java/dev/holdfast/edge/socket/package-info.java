/**
 * Stations 1 and 8 of 8: the sockets. Frames come in on I/O threads and go to a session; frames go
 * out through one queue and one writer a connection. Only this package knows Undertow, so the HTTP
 * endpoints live here too.
 */
@NullMarked
package dev.holdfast.edge.socket;

import org.jspecify.annotations.NullMarked;
