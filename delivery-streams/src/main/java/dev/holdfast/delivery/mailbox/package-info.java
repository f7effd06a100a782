/** Station 6 of 8: a user's line of messages and each client's cursor in it (D5, D10). Pure. */
@NullMarked
package dev.holdfast.delivery.mailbox;

import org.jspecify.annotations.NullMarked;
