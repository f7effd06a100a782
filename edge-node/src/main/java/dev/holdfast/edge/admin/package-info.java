/**
 * What operators ask an edge, on a port of its own that clients do not reach. The platform's small
 * HTTP server is enough for it, so that nothing here knows Undertow.
 */
@NullMarked
package dev.holdfast.edge.admin;

import org.jspecify.annotations.NullMarked;
