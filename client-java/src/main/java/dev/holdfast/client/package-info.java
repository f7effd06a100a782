/**
 * The client library. An application sees {@link HoldfastClient} and the records it is handed; the
 * rest is package-private:
 *
 * <pre>
 *  HoldfastClient ──> Core ──> Machine   states, attempts, backoff
 *                       │        Link    one connection: its frames, its heartbeat
 *                       ├──── Inbox      messages, one after the other; Acks
 *                       ├──── Backlog    what a resume did not bring, from history
 *                       ├──── Sender     the outbox
 *                       ├──── Channels, Watches
 *                       └──── Keeper     what is stored
 * </pre>
 *
 * <p>All of it runs on one serial executor (the loop), so nothing here has a lock. Handlers of the
 * application run on an executor of its own and come back to the loop when they are through.
 */
@NullMarked
package dev.holdfast.client;

import org.jspecify.annotations.NullMarked;
