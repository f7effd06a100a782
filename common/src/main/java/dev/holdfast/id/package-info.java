/** Names of users and clients, and the identity of a message. */
@NullMarked
package dev.holdfast.id;

import org.jspecify.annotations.NullMarked;
