/**
 * Beside the eight stations: who is online, as this edge knows it. {@code holdfast.presence} is
 * read committed, only the partitions that somebody asks about, and told to watchers and over HTTP
 * (D15).
 *
 * <pre>
 *  session ──watch, unwatch──> PresenceFront ──queue──> PresenceDesk ──ask, read──> Kafka
 *  HTTP ─────────lookup──────>       │                       │   <──ends, records──
 *  session, HTTP <───────────── one thread ──────────────────┘
 * </pre>
 *
 * The desk decides, on one thread, and knows neither Kafka nor sessions; {@code PresenceReader} and
 * {@code PresenceProbe} are all that knows Kafka.
 */
@NullMarked
package dev.holdfast.edge.presence;

import org.jspecify.annotations.NullMarked;
