/** Messages (from, to] of a mailbox's epoch that were missed and not yet handed to the app. */
export interface Range {
  epoch: string;
  from: number;
  to: number;
}

const MOST_RANGES = 64;
/** Behind an epoch: the server has lost this part of it, and uses the seqs again. */
const GONE = '/gone';

/**
 * What a welcome with `resumed: false` leaves owed; null where nothing is. The client's own cursor counts, where it has one
 * in this epoch: what lies beyond it was not handed over here, whatever the server thinks.
 */
export function missed(
  { reason, epoch, seq, ackSeq }: { reason?: string | undefined; epoch: string; seq: number; ackSeq: number },
  ownEpoch: string | null,
  cursor: number | null,
): Range | null {
  let from = cursor !== null && cursor <= seq ? cursor : ackSeq; // one above `seq` is of another line
  if (reason === 'epoch' || (cursor !== null && ownEpoch !== null && ownEpoch !== epoch)) from = 0;
  return seq > from ? { epoch, from, to: seq } : null;
}

/** The ranges with one more; those of the same epoch that touch or overlap become one. Other epochs stay apart. */
export function owe(ranges: readonly Range[], more: Range): Range[] {
  let joined = more;
  const rest: Range[] = [];
  for (const range of ranges) {
    if (range.epoch === joined.epoch && range.from <= joined.to && joined.from <= range.to)
      joined = join(range, joined);
    else rest.push(range);
  }
  rest.push(joined);
  return bounded(rest);
}

/** The least range that has both. */
function join(a: Range, b: Range): Range {
  return { epoch: a.epoch, from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) };
}

/** At most 64 ranges: beyond, two neighbours of an epoch become one, so that a message rather comes twice than never. */
function bounded(ranges: Range[]): Range[] {
  for (let i = 0; ranges.length > MOST_RANGES && i + 1 < ranges.length; i++) {
    const [a, b] = [ranges[i]!, ranges[i + 1]!];
    if (a.epoch === b.epoch) ranges.splice(i, 2, join(a, b));
  }
  return ranges.slice(-MOST_RANGES);
}

/** The ranges without (from, to] of this epoch. */
export function paid(ranges: readonly Range[], epoch: string, from: number, to: number): Range[] {
  return ranges.flatMap((range) => {
    if (range.epoch !== epoch || to <= range.from || from >= range.to) return [range];
    const left = { epoch, from: range.from, to: Math.min(range.to, from) };
    const right = { epoch, from: Math.max(range.from, to), to: range.to };
    return [left, right].filter((part) => part.to > part.from);
  });
}

/** What lies beyond `seq` in that epoch is lost, and stands there, under an epoch that no server has, to be told so. */
export function gone(ranges: readonly Range[], epoch: string, seq: number): Range[] {
  let rest = paid(ranges, epoch, seq, Infinity);
  for (const { epoch: of, from, to } of ranges) {
    if (of === epoch && to > seq) rest = owe(rest, { epoch: epoch + GONE, from: Math.max(from, seq), to });
  }
  return rest;
}

/** The epoch of a range, as the server called it. */
export function toldEpoch({ epoch }: Range): string {
  return epoch.endsWith(GONE) ? epoch.slice(0, -GONE.length) : epoch;
}

/** A page of `GET /v1/history` as far as it concerns one owed range. */
export interface PageView<M> {
  messages: M[];
  /** The page settles (from, to]. */
  from: number;
  to: number;
  /** What of it is no longer kept. */
  lost: { from: number; to: number } | null;
}

/**
 * Which part of the owed range a page settles: up to its last message that is owed, and everything where it has none.
 * What lies before its first one is lost: a page begins at the oldest that is kept, and has no holes.
 */
export function settle<M extends { seq: number }>(range: Range, page: { messages: M[] }): PageView<M> {
  const messages = page.messages.filter((message) => message.seq > range.from && message.seq <= range.to);
  const last = messages[messages.length - 1];
  const to = last ? last.seq : range.to;
  const first = messages[0];
  const gone = first ? first.seq - 1 : range.to;
  return { messages, from: range.from, to, lost: gone > range.from ? { from: range.from, to: gone } : null };
}
