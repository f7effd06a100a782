package dev.holdfast.delivery.topology;

import java.nio.file.Path;

/**
 * Rows of one partition that a check has kept, and their place in the log.
 *
 * @param rows the database
 * @param offset the rows have all of the log below it
 * @param trusted what the log says below this offset was not checked, but taken over from an
 *     application's rows; 0 where the log was read from its beginning
 */
record Snapshot(Path rows, long offset, long trusted) {}
