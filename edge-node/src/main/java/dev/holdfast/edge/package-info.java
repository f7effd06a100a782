/**
 * Stations 1–3 and 7–8 of 8: one edge node. {@link dev.holdfast.edge.EdgeNode} wires socket,
 * session, ingress and egress by constructor; nothing else knows all four.
 */
@NullMarked
package dev.holdfast.edge;

import org.jspecify.annotations.NullMarked;
