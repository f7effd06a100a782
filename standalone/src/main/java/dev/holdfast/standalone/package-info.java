/**
 * The command line: one subcommand a process, and {@code dev}, which runs all of them in one.
 * Wiring only; what the parts do is decided elsewhere.
 */
@NullMarked
package dev.holdfast.standalone;

import org.jspecify.annotations.NullMarked;
