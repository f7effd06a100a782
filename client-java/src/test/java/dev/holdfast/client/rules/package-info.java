/** The pure parts, one by one. */
@NullMarked
package dev.holdfast.client.rules;

import org.jspecify.annotations.NullMarked;
