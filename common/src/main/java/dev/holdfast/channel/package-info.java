/** Channels: what they are called, which topic carries them, and where one stands in them (D11). */
@NullMarked
package dev.holdfast.channel;

import org.jspecify.annotations.NullMarked;
