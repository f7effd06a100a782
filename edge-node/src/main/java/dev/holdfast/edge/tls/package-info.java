/**
 * At the door, before station 1: certificate and key, read from files and read again when they
 * change. Only the JDK's own TLS; knows neither Undertow nor Kafka.
 */
@NullMarked
package dev.holdfast.edge.tls;

import org.jspecify.annotations.NullMarked;
