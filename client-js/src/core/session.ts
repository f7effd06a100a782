import type { Range } from '../pure/owed.js';

/** What is kept of this client: where it stands in the mailbox, and what is still owed to the app. */
export interface Session {
  clientId: string;
  attempt: number;
  epoch: string | null;
  lastSeq: number | null;
  sessionToken: string | null;
  /** A hello may have reached the server whose welcome did not come: its `ackSeq` may tell of that welcome. */
  unheard: boolean;
  owed: Range[];
}

/** A session from what the store has, whatever that is; fields that are none become those of a new client. */
export function sessionOf(row: unknown): Session {
  const given = Object(row ?? {}) as Record<string, unknown>;
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const whole = (value: unknown): number | null =>
    Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
  const epoch = text(given.epoch);
  const lastSeq = whole(given.lastSeq);
  return {
    clientId: text(given.clientId) ?? '',
    attempt: whole(given.attempt) ?? 0,
    // neither says anything without the other
    epoch: lastSeq === null ? null : epoch,
    lastSeq: epoch === null ? null : lastSeq,
    sessionToken: text(given.sessionToken),
    unheard: given.unheard === true,
    owed: [given.owed ?? []].flat().filter(isRange),
  };
}

/** The session has each field of it that the row has; what else is there is of a later version. */
export function isWhole(row: unknown, session: Session): boolean {
  const given = Object(row) as Record<string, unknown>;
  return Object.entries(session).every(
    ([name, value]) => JSON.stringify(given[name] ?? value) === JSON.stringify(value),
  );
}

function isRange(value: unknown): value is Range {
  const range = value as Range | null;
  return (
    typeof range?.epoch === 'string' &&
    Number.isSafeInteger(range.from) &&
    Number.isSafeInteger(range.to) &&
    range.from < range.to
  );
}
