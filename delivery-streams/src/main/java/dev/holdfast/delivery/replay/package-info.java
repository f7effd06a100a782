/**
 * Delivers a range of a topic once more, for an operator, under the identities that its records had
 * the first time: what a mailbox has is dropped there, what it lacks arrives.
 */
@NullMarked
package dev.holdfast.delivery.replay;

import org.jspecify.annotations.NullMarked;
