import { HoldfastError } from '../errors.js';
import { toldDelay } from '../pure/backoff.js';
import { checkMessageId, checkPayload, checkTarget, randomId, utf8Length } from '../pure/names.js';
import type { Target } from '../types.js';
import type { Context } from './context.js';

interface Entry {
  /** Empty where it came before it was known whose outbox it is: then it is in memory only. */
  key: string;
  readonly clientMsgId: string;
  readonly to: Target;
  /** The payload as JSON. */
  readonly json: string;
  readonly createdAt: number;
  /** Wall clock, stored before the entry is sent the first time; maybe a little before. */
  firstSentAt?: number;
  /** Monotonic, of this process: no clock that is set can make it younger. */
  firstSentMono?: number;
  /** It was put on a wire, or may have been by an earlier process. */
  attempted: boolean;
  /** Stored, or as good as it goes. */
  ready: boolean;
  place: 'waiting' | 'flight' | 'refused';
  settle: { resolve: (value: { msgId: string }) => void; reject: (error: HoldfastError) => void }[];
}

/** What a server takes at most, unless its welcome says less. */
const PAYLOAD_BYTES = 65_536;
const IN_FLIGHT = 64;
const RETRY_MS = 1000;
const ROW = /^out\/\d{12}$/;

/** What the app sent and the server has not answered, in order. */
export class Outbox {
  private readonly entries = new Map<string, Entry>();
  private last = 0;
  private loaded = false;

  constructor(
    private readonly ctx: Context,
    private readonly most: number,
  ) {}

  /**
   * What an earlier process left; it goes before what this one was told meanwhile. What cannot be read stays where it
   * is, for a person to look at. `renamed`: under another `clientId`.
   */
  load(rows: Map<string, unknown>, unreadable: (key: string) => void, renamed: boolean): void {
    const early = [...this.entries.values()];
    this.entries.clear();
    this.loaded = true;
    for (const [key, row] of rows) {
      if (!ROW.test(key)) continue;
      this.last = Math.max(this.last, Number(key.slice(4)));
      const entry = entryOfRow(key, row);
      if (entry && !this.entries.has(entry.clientMsgId)) this.entries.set(entry.clientMsgId, entry);
      else unreadable(key);
    }
    if (renamed) for (const entry of this.entries.values()) if (entry.attempted) this.drop(entry, 'uncertain', true);
    for (const entry of early) {
      const known = this.entries.get(entry.clientMsgId);
      if (!known) this.enter(entry);
      else if (isSame(known, entry)) known.settle.push(...entry.settle);
      else for (const { reject } of entry.settle) reject(conflict());
    }
  }

  /** Takes a message; resolves when the server has it, rejects when it will never be sent. */
  add(checked: Checked): Promise<{ msgId: string }> {
    const { clientMsgId } = checked;
    const known = this.entries.get(clientMsgId);
    if (known && !isSame(known, checked)) throw conflict();
    if (known) return this.promise(known);
    const entry = entryOf(checked, this.ctx.clock.now());
    if (this.ctx.isOnline()) this.stamp(entry);
    const settled = this.promise(entry);
    if (utf8Length(entry.json) > this.ctx.limits.payloadBytes) this.drop(entry, 'payload_too_large', false);
    else this.enter(entry);
    return settled;
  }

  /** The connection ended: nobody knows about what is in flight. */
  stop(): void {
    this.ctx.timers.clear('outbox');
    for (const entry of this.entries.values()) entry.place = 'waiting';
  }

  /** The server has the message. */
  sent(clientMsgId: string, msgId: string): void {
    const entry = this.remove(clientMsgId);
    if (!entry) return;
    this.ctx.recorder.metrics.sent++;
    for (const { resolve } of entry.settle) resolve({ msgId });
    if (entry.settle.length === 0) this.ctx.listeners.emit('sent', { clientMsgId, msgId, to: entry.to });
    this.pump();
  }

  /** The server refused a message: for good, or for now; those after it are refused one by one. */
  refused(clientMsgId: string, code: string, message: string, retryable: boolean, retryAfterMs?: number): void {
    const entry = this.entries.get(clientMsgId);
    if (!entry) return;
    if (!retryable) {
      this.drop(entry, code, false, message);
      return this.pump();
    }
    entry.place = 'refused';
    const delay = toldDelay(retryAfterMs ?? RETRY_MS, 0, this.ctx.random);
    this.ctx.timers.once('outbox', delay, () => this.pump());
  }

  /** Everything goes, told to the app. */
  clear(): void {
    for (const entry of this.entries.values()) this.drop(entry, 'logged_out', entry.attempted);
  }

  private enter(entry: Entry): void {
    this.entries.set(entry.clientMsgId, entry);
    if (this.loaded) {
      entry.key = `out/${String(++this.last).padStart(12, '0')}`;
      this.store([entry]);
    }
    if (this.entries.size > this.most) this.overflow();
  }

  private promise(entry: Entry): Promise<{ msgId: string }> {
    return new Promise((resolve, reject) => entry.settle.push({ resolve, reject }));
  }

  private stamp(entry: Entry): void {
    entry.firstSentAt = this.ctx.clock.now();
    entry.firstSentMono = this.ctx.clock.mono();
  }

  private store(entries: Entry[]): void {
    for (const entry of entries) {
      entry.ready = false;
      const { clientMsgId, to, json, createdAt, firstSentAt } = entry;
      this.ctx.journal.put(entry.key, {
        clientMsgId,
        to,
        payload: JSON.parse(json) as unknown,
        createdAt,
        firstSentAt,
      });
    }
    void this.ctx.journal.written().then(() => {
      for (const entry of entries) entry.ready = true;
      this.pump();
    });
  }

  /** Sends what may be sent. */
  pump(): void {
    if (!this.ctx.isOnline() || this.ctx.timers.has('outbox')) return;
    const unstamped: Entry[] = [];
    let flight = 0;
    let refused = false;
    for (const { place } of this.entries.values()) {
      if (place === 'refused') refused = true;
      if (place !== 'flight') continue;
      if (refused) return; // it will be refused too, and goes again then: of two copies the server could refuse the second
      flight++;
    }
    for (const entry of this.entries.values()) {
      if (entry.place === 'flight') continue;
      if (flight >= IN_FLIGHT || !entry.ready) break;
      if (this.isUncertain(entry)) {
        // the server waits for a refused one before it takes another: only a new connection helps
        if (entry.place === 'refused') return this.ctx.fail('uncertain');
        this.drop(entry, 'uncertain', true, 'too old to be sent again');
      } else if (entry.firstSentAt === undefined) {
        unstamped.push(entry);
        flight++;
      } else if (unstamped.length > 0) {
        break;
      } else {
        this.send(entry);
        flight++;
      }
    }
    for (const entry of unstamped) this.stamp(entry);
    if (unstamped.length > 0) this.store(unstamped);
  }

  private isUncertain(entry: Entry): boolean {
    if (!entry.attempted || entry.firstSentAt === undefined) return false;
    const { clock, limits } = this.ctx;
    const mono = clock.mono();
    return Math.max(clock.now() - entry.firstSentAt, mono - (entry.firstSentMono ?? mono)) >= limits.dedupWindowMs;
  }

  private send(entry: Entry): void {
    if (entry.attempted) this.ctx.recorder.metrics.resent++;
    entry.attempted = true;
    entry.place = 'flight';
    const to =
      'channel' in entry.to ? `"channel":${JSON.stringify(entry.to.channel)}` : `"to":${JSON.stringify(entry.to)}`;
    const id = JSON.stringify(entry.clientMsgId);
    this.ctx.send(`{"type":"send","clientMsgId":${id},${to},"payload":${entry.json}}`);
  }

  /** The oldest that the server is not about to answer goes: a refused one must come again, or none after it is taken. */
  private overflow(): void {
    for (const entry of this.entries.values()) {
      if (entry.place !== 'waiting') continue;
      return this.drop(entry, 'overflow', entry.attempted, `more than ${this.most} messages wait to be sent`);
    }
  }

  private drop(entry: Entry, reason: string, uncertain: boolean, message = reason): void {
    this.remove(entry.clientMsgId);
    const { clientMsgId, to } = entry;
    this.ctx.recorder.metrics.dropped++;
    this.ctx.listeners.emit('dropped', { clientMsgId, to, payload: JSON.parse(entry.json), reason, uncertain });
    for (const { reject } of entry.settle) reject(new HoldfastError(reason, message, uncertain));
  }

  private remove(clientMsgId: string): Entry | undefined {
    const entry = this.entries.get(clientMsgId);
    this.entries.delete(clientMsgId);
    if (entry?.key) this.ctx.journal.put(entry.key, undefined);
    return entry;
  }
}

function isSame(one: Checked, other: Checked): boolean {
  return one.json === other.json && JSON.stringify(one.to) === JSON.stringify(other.to);
}

function conflict(): HoldfastError {
  return new HoldfastError('id_conflict', 'another message with this clientMsgId waits');
}

/** A message that may be sent. */
export interface Checked {
  clientMsgId: string;
  to: Target;
  json: string;
}

/** A message that may be sent, with an id of 16 random characters where none is given; throws what is wrong with it. */
export function check(
  to: Target,
  payload: unknown,
  id: string | undefined,
  random: () => number,
  most = PAYLOAD_BYTES,
): Checked {
  return {
    to: checkTarget(to),
    json: checkPayload(payload, most),
    clientMsgId: id === undefined ? randomId(16, random) : checkMessageId(id),
  };
}

function entryOf(checked: Checked, createdAt: number): Entry {
  return { key: '', ...checked, createdAt, attempted: false, ready: false, place: 'waiting', settle: [] };
}

function entryOfRow(key: string, row: unknown): Entry | null {
  try {
    const given = row as { clientMsgId: string; to: Target; payload: unknown; createdAt: number; firstSentAt?: number };
    const entry = entryOf(
      check(given.to, given.payload, given.clientMsgId ?? '', () => 0, Infinity),
      given.createdAt,
    );
    if (typeof given.firstSentAt === 'number') entry.firstSentAt = given.firstSentAt;
    return Object.assign(entry, { key, ready: true, attempted: entry.firstSentAt !== undefined });
  } catch {
    return null; // the caller tells it
  }
}
