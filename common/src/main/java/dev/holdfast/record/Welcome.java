package dev.holdfast.record;

import org.jspecify.annotations.Nullable;

/**
 * What the log decided about a {@code hello}; the edge adds its own part and answers the client.
 *
 * @param resumed whether everything after the client's {@code lastSeq} follows
 * @param reason why not: {@code new}, {@code epoch}, {@code ahead}, {@code gap} or {@code expired}
 * @param epoch the mailbox's epoch
 * @param seq newest assigned seq
 * @param ackSeq what this client is known to have
 * @param unread messages after {@code ackSeq} that are still kept
 * @param from the client's cursor: the next message on this connection has seq {@code from + 1}
 */
public record Welcome(
    boolean resumed,
    @Nullable String reason,
    String epoch,
    long seq,
    long ackSeq,
    long unread,
    long from,
    long resumeTtlMs,
    int maxBacklog,
    int window,
    int windowBytes,
    long dedupWindowMs) {}
