import { HoldfastError } from '../errors.js';
import { randomId, subjectOf } from '../pure/names.js';
import { storePrefix } from '../pure/urls.js';
import { memoryStore } from '../store/memory.js';
import type { History } from '../history/history.js';
import type { ChannelEvent, Message, Options, Presence, Subscribed } from '../types.js';
import { Channels } from './channels.js';
import type { Context, Limits } from './context.js';
import { Handover } from './handover.js';
import { Inbox } from './inbox.js';
import { Journal } from './journal.js';
import { Outbox } from './outbox.js';
import type { Ports } from './ports.js';
import type { Queries } from './queries.js';
import { isWhole, sessionOf, type Session } from './session.js';
import type { Settings } from './settings.js';
import { Timers } from './timers.js';
import { Watches } from './watches.js';

/** What all accounts of a client have in common. */
export interface Shared extends Pick<Context, 'clock' | 'random' | 'timers' | 'listeners' | 'recorder'> {
  options: Options;
  ports: Ports;
  settings: Settings;
  queries: Queries;
}

/** What an account is given: its surroundings as its parts see them, and what it alone needs. */
export interface Surroundings extends Shared, Omit<Context, 'journal' | 'session' | 'limits' | 'save'> {}

/** A frame of the server; its fields are checked where they matter. */
export interface Frame {
  type: string;
  [field: string]: any;
}

const HELLO_BYTES = 64 * 1024;
/** How often a store is read in vain before the client goes on in memory. */
const TRIES = 3;
const LIMITS: Limits = { window: 256, payloadBytes: 65_536, dedupWindowMs: 86_400_000 };

/** Everything that belongs to one user of one server, in memory and in the store. */
// the class has all members of the interface: its constructor takes them over
export interface Account extends Surroundings {}
export class Account implements Context {
  readonly journal: Journal;
  readonly limits = { ...LIMITS };
  readonly session: Session;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly channels: Channels;
  readonly watches: Watches;
  private history: History | null = null;
  private readonly reader: Handover<'history'>;
  /** `history.js` is being loaded, or was in vain so often. */
  private loading = false;
  private failures = 0;
  private rest: object[] = [];
  /** The store is read, or is being read. */
  opening: Promise<void> | null = null;
  private user: string | null = null;
  /** Called once the store is read. */
  onLoad: () => void = () => {};

  constructor(around: Surroundings) {
    Object.assign(this, around);
    this.journal = new Journal(this.ports.store, new Timers(this.clock), (error) =>
      this.recorder.failed('storage_failed', error),
    );
    this.session = sessionOf(null);
    this.inbox = new Inbox(this);
    this.outbox = new Outbox(this, this.options.outboxMax ?? 500);
    this.channels = new Channels(this);
    this.watches = new Watches(this);
    this.reader = new Handover('history', this, 'history');
    this.inbox.onHanded = () => this.readOwed();
  }

  /**
   * Finds out whose store it is and reads it, once. Rejects where no token tells whose it is, or another process has it;
   * then it may be asked again.
   */
  async open(): Promise<void> {
    if (!this.opening) {
      const prefix = await this.name();
      this.opening ??= this.read(prefix).catch((error: unknown) => {
        this.opening = null;
        throw error;
      });
    }
    return this.opening;
  }

  /** A token of another user must not carry on what is this one's. */
  check(token: string | undefined): void {
    const subject = subjectOf(token);
    if (this.user !== null && subject !== undefined && subject !== this.user) {
      throw new HoldfastError('other_user', 'the token is of another user: call logout() first');
    }
  }

  /** The start of the keys of this server and user; a token is asked for where only that can tell. */
  async name(): Promise<string> {
    const { settings, ports } = this;
    if (settings.user === null) await settings.nextToken();
    this.user = settings.user!;
    return storePrefix(settings.server, this.user) + (ports.tab ? `${ports.tab}/` : '');
  }

  private async read(prefix: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return this.load(await this.journal.load(prefix));
      } catch (error) {
        if (tries > TRIES || (error instanceof HoldfastError && error.code === 'storage_in_use')) throw error;
        this.recorder.failed('storage_failed', error);
        if (tries === TRIES) this.journal.replace(memoryStore()); // or what cannot be read would be overwritten
      }
    }
  }

  /** What the store had; a client without a name gets one. */
  private load(rows: Map<string, unknown>): void {
    const { session } = this;
    const row = rows.get('session');
    const chosen = this.ports.tab ?? this.options.clientId;
    Object.assign(session, sessionOf(row));
    const before = session.clientId;
    const look = (key: string, isGood?: boolean): void => {
      if (!isGood && rows.get(key) !== undefined) this.recorder.failed('storage_failed', `unreadable ${key}`);
    };
    look('session', before !== '' && isWhole(row, session));
    session.clientId = chosen ?? (before || randomId(22, this.random));
    session.unheard ||= row !== undefined && session.lastSeq === null;
    look('seen', this.inbox.load(rows.get('seen')));
    look('channels', this.channels.load(rows.get('channels')));
    // under another name the server would take what was sent for another message
    this.outbox.load(rows, look, before ? before !== session.clientId : !chosen);
    this.onLoad();
  }

  save(): void {
    this.journal.put('session', { ...this.session });
  }

  /** The hello; what does not fit into it follows in frames of its own after the welcome. */
  hello(user: string | undefined, token: string | undefined): string {
    const { clientId, epoch, attempt, sessionToken } = this.session;
    const lastSeq = this.inbox.hello();
    const hello: Record<string, unknown> = {
      type: 'hello',
      clientId,
      user,
      lastSeq,
      epoch,
      attempt,
      token,
      sessionToken,
    };
    let left = HELLO_BYTES - bytesOf(hello);
    this.rest = [];
    const fill = (name: string, all: unknown[], frame: (chunk: unknown[]) => object): void => {
      const [first = [], ...others] = chunked(all, left, HELLO_BYTES);
      if (first.length > 0) hello[name] = first;
      left -= bytesOf(first);
      this.rest.push(...others.map(frame));
    };
    fill('channels', this.channels.wanted(), (channels) => ({ type: 'subscribe', channels }));
    fill('watch', this.watches.wanted(), (users) => ({ type: 'watch', users }));
    return JSON.stringify(hello, (_, value: unknown) => value ?? undefined); // without what is null
  }

  /** The connection works. */
  start(): void {
    for (const frame of this.rest.splice(0)) this.send(frame);
    this.outbox.pump();
    this.go();
  }

  /** Hands over whatever waits for a handler. */
  go(): void {
    this.inbox.pump();
    this.readOwed();
    this.channels.pumpAll();
  }

  /** Reads what is owed; the code for it is loaded once there is something. */
  private readOwed(): void {
    if (this.history) return this.history.kick();
    const can = this.isOnline() && this.listeners.has('history') && !this.timers.has('history-retry');
    if (!can || this.loading || this.session.owed.length === 0) return;
    this.loading = true;
    const loaded = this.queries.load().then(
      ({ History }) => void (this.history = new History(this, this.reader)),
      (error: unknown) => {
        if (!this.isOnline()) return;
        this.recorder.failed('history_failed', error);
        this.timers.set('history-retry', this.delay(this.failures++), () => this.readOwed());
      },
    );
    void loaded.then(() => {
      this.loading = false;
      this.readOwed();
    });
  }

  /** The connection ended. */
  stop(): void {
    this.inbox.stop();
    for (const timer of ['ack', 'history-retry']) this.timers.clear(timer);
    this.outbox.stop();
    this.channels.stop();
    this.watches.stop();
  }

  /** A frame after the welcome that concerns what is kept here. */
  take(frame: Frame): void {
    switch (frame.type) {
      case 'message':
        return this.inbox.take(messageOf(frame));
      case 'sent':
        return this.outbox.sent(frame.clientMsgId, frame.msgId);
      case 'event':
        return this.channels.event(without(frame) as unknown as ChannelEvent);
      case 'progress':
        return this.channels.progress(frame as unknown as { channel: string; position: string });
      case 'subscribed':
        return this.channels.subscribed(frame as unknown as Subscribed);
      case 'unsubscribed':
        return this.channels.unsubscribed(frame.channel);
      case 'presence':
        return this.watches.came(without(frame) as unknown as Presence);
      case 'error':
        return this.refused(frame);
    }
  }

  private refused(frame: Frame): void {
    const { code, message, clientMsgId, channel, users, retryAfterMs } = frame;
    const retryable = frame.retryable === true;
    if (code !== 'out_of_order') this.recorder.tell('refused', { reason: String(code) });
    if (typeof clientMsgId === 'string') this.outbox.refused(clientMsgId, code, message, retryable, retryAfterMs);
    else if (typeof channel === 'string')
      for (const one of frame.channels ?? [channel]) this.channels.refused(one, code, retryable, retryAfterMs);
    else if (Array.isArray(users)) this.watches.refused(users, retryable, retryAfterMs);
  }
}

function without({ type: _, ...rest }: Frame): Record<string, unknown> {
  return rest;
}

function messageOf({ seq, msgId, from, ts, payload, redelivered }: Frame): Message {
  const message: Message = { seq, msgId, from, ts, payload };
  if (redelivered === true) message.redelivered = true;
  return message;
}

/** An upper bound: a UTF-16 unit is at most three bytes. */
function bytesOf(value: unknown): number {
  return 3 * JSON.stringify(value).length;
}

/** Pieces in order: the first one fits into `first` bytes, maybe empty, the others into `most`. */
function chunked(all: unknown[], first: number, most: number): unknown[][] {
  const chunks: unknown[][] = [[]];
  let left = first;
  for (const one of all) {
    const size = bytesOf(one) + 3;
    if (size > left) {
      chunks.push([]);
      left = most;
    }
    left -= size;
    chunks[chunks.length - 1]!.push(one);
  }
  return chunks;
}
