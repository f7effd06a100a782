/** The topics' names and settings; a topic's name stands nowhere else. */
@NullMarked
package dev.holdfast.topic;

import org.jspecify.annotations.NullMarked;
