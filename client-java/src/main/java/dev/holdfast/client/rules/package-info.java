/** What a client decides, as values and functions: no socket, no clock, no thread. */
@NullMarked
package dev.holdfast.client.rules;

import org.jspecify.annotations.NullMarked;
