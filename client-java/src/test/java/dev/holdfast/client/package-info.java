/** The client against transcripts, and against a server in memory. */
@NullMarked
package dev.holdfast.client;

import org.jspecify.annotations.NullMarked;
