/**
 * Station 4 of 8: the topics, first of all the one ordered log. Names and settings; a topic's name
 * stands nowhere else.
 */
@NullMarked
package dev.holdfast.topic;

import org.jspecify.annotations.NullMarked;
