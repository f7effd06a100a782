/** Which connections an edge answers for, and who is online because of them (D10, D15). Pure. */
@NullMarked
package dev.holdfast.delivery.presence;

import org.jspecify.annotations.NullMarked;
