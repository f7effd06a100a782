package dev.holdfast.edge.session;

import dev.holdfast.Limits;
import dev.holdfast.edge.auth.Access;
import dev.holdfast.edge.presence.Presence;
import dev.holdfast.frame.FrameReader;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What every session of an edge shares.
 *
 * @param ticker monotonic milliseconds, for time-outs
 * @param clock the wall clock: told to clients, compared with tokens, decides nothing else
 * @param access who may come in
 * @param channels what can be subscribed to
 * @param presence who is online
 */
public record SessionContext(
    EventSink sink,
    Limits limits,
    FrameReader reader,
    EdgeCounters counters,
    EdgeIdentity identity,
    Sessions sessions,
    AckFlusher flusher,
    Later later,
    LongSupplier ticker,
    InstantSource clock,
    RandomGenerator random,
    Access access,
    Channels channels,
    Presence presence) {}
