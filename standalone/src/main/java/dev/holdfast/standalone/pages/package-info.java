/**
 * For {@code dev} alone: the pages that it serves, and what they can do to this process: break
 * their own connections, kill an edge, make traffic. Nothing here knows sockets.
 */
@NullMarked
package dev.holdfast.standalone.pages;

import org.jspecify.annotations.NullMarked;
