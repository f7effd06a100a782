/** Each rule by itself: given a log so far, when an event comes, then these deliveries. */
@NullMarked
package dev.holdfast.testkit.rules;

import org.jspecify.annotations.NullMarked;
