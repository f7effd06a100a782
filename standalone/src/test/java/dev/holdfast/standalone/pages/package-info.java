@NullMarked
package dev.holdfast.standalone.pages;

import org.jspecify.annotations.NullMarked;
