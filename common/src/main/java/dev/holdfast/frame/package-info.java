/** The wire contract as types: frames in both directions, close codes, error codes. No I/O here. */
@NullMarked
package dev.holdfast.frame;

import org.jspecify.annotations.NullMarked;
