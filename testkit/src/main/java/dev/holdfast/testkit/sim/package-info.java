/**
 * A seeded simulation of everything between two applications, in mock time: clients, edges with
 * their real sessions, the log, instances of the delivery application. Invariants are checked after
 * every step; a seed reproduces a run exactly.
 */
@NullMarked
package dev.holdfast.testkit.sim;

import org.jspecify.annotations.NullMarked;
