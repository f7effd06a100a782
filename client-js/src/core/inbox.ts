import { Dedup } from '../pure/dedup.js';
import { gone, missed, owe, paid } from '../pure/owed.js';
import type { Message } from '../types.js';
import type { Context } from './context.js';
import { Handover } from './handover.js';

interface Item {
  /** Null where the server has lost the message, or may have, and its seq stands for another one. */
  epoch: string | null;
  message: Message;
}

export interface Welcome {
  resumed: boolean;
  reason?: string;
  epoch: string;
  seq: number;
  ackSeq: number;
}

const ACK_EVERY = 32;
const ACK_AFTER_MS = 100;
const HOLD_MS = 10_000;
const SEEN_EVERY_MS = 1000;

/**
 * The mailbox at the client. Three numbers in one line: `session.lastSeq`, up to which handlers are through (or what
 * a welcome gave, the rest then being owed as history), `taken`, up to which messages are here, and `arrived`, up to which they came on this
 * connection. What the app has in hand or waits stays over reconnects; the server sends it again and it is dropped.
 */
export class Inbox {
  private readonly queue: Item[] = [];
  private readonly handover: Handover<'message'>;
  /** What was handed over. */
  seen = new Dedup();
  private taken = 0;
  private arrived = 0;
  private acked = 0;
  private stored = 0;
  /** What the hello said; undefined before it went out. */
  private asked: number | null | undefined = null;
  /** An earlier hello may have been answered, and nobody heard it. */
  private unheard = false;
  /** Counts up where the same seqs begin to stand for other messages. */
  era = 0;
  private storing = false;
  private pumping = false;
  /** Called when a message was handed over. */
  onHanded: () => void = () => {};

  constructor(private readonly ctx: Context) {
    this.handover = new Handover('message', ctx, 'message');
  }

  /** From the store, before the first connection; false where `seen` is none. */
  load(seen: unknown): boolean {
    const { session } = this.ctx;
    this.taken = this.stored = session.lastSeq ?? 0;
    const isList = Array.isArray(seen);
    const stored = isList ? seen.filter((id) => typeof id === 'string') : [];
    this.seen = new Dedup(1000, [...stored, ...this.seen.list()]);
    return isList;
  }

  /** A hello will go out; stored with the attempt, since this process may not live to hear the answer. */
  dial(): void {
    const { session } = this.ctx;
    this.asked = undefined;
    this.unheard = session.unheard;
    session.unheard = true;
  }

  /** What the hello says, and from where on messages of this connection are expected. */
  hello(): number | null {
    return (this.asked = this.ctx.session.lastSeq);
  }

  /** The connection ended. */
  stop(): void {
    if (this.asked === undefined) this.ctx.session.unheard = this.unheard; // it never got as far
  }

  /** Takes over what the welcome says; the session has the new cursor and what is owed together. */
  welcome(welcome: Welcome): void {
    const { session } = this.ctx;
    session.unheard = false;
    const newest = Math.max(session.lastSeq ?? 0, this.taken);
    const isCut = welcome.reason === 'ahead' || (session.epoch === welcome.epoch && newest > welcome.seq);
    if (isCut) {
      // the end of the line is lost, and the same seqs stand for other messages now
      this.era++;
      for (const item of this.queue) item.epoch = null;
      session.owed = gone(session.owed, welcome.epoch, welcome.seq);
    }
    if (welcome.resumed) {
      this.arrived = this.acked = this.asked ?? welcome.ackSeq;
    } else {
      // a welcome that was lost on the way moved the server's cursor, and not what the app was given
      const ackSeq = this.unheard ? 0 : welcome.ackSeq;
      const range = missed({ ...welcome, ackSeq }, session.epoch, session.lastSeq); // a handler may have been through since the hello
      if (range) session.owed = owe(session.owed, range);
      this.arrived = this.acked = welcome.seq;
    }
    if (isCut || !welcome.resumed) {
      session.lastSeq = this.taken = this.arrived;
      this.stored = -1;
    }
    session.epoch = welcome.epoch;
    this.store();
  }

  /** A message came. */
  take(message: Message): void {
    const { recorder } = this.ctx;
    if (message.seq > this.arrived + 1) {
      recorder.tell('seq_gap', { reason: `expected ${this.arrived + 1}, got ${message.seq}` });
      return this.ctx.fail('seq_gap');
    }
    this.arrived = Math.max(this.arrived, message.seq);
    if (message.seq <= this.taken) {
      recorder.metrics.duplicates++;
      this.acked = Math.min(this.acked, message.seq - 1); // acknowledged again: the server cannot have heard it
      return this.acknowledge();
    }
    if (this.queue.length >= Math.max(1024, 2 * this.ctx.limits.window)) return this.ctx.fail('overrun');
    this.taken = message.seq;
    this.queue.push({ epoch: this.ctx.session.epoch, message });
    this.pump();
  }

  /** Messages up to here are still to be handed over, before history may be. */
  holds(epoch: string, to: number): boolean {
    return this.queue.some((item) => item.epoch === null || (item.epoch === epoch && item.message.seq <= to));
  }

  /** Hands over what waits, as far as the app takes it. */
  pump(): void {
    if (this.pumping) return;
    this.pumping = true;
    this.ctx.listeners.flush();
    this.handover.go();
    for (let item = this.queue[0]; item && this.mayHand(item); item = this.queue[0]) this.hand(item);
    this.pumping = false;
  }

  private mayHand(item: Item): boolean {
    if (this.handover.busy || !this.ctx.isOpen()) return false;
    return this.isKnown(item) || this.ctx.listeners.has('message');
  }

  /** It was handed over under another seq: it moves the cursor, and that is all. */
  private isKnown({ message }: Item): boolean {
    return this.seen.has(message.msgId);
  }

  private hand(item: Item): void {
    const { metrics } = this.ctx.recorder;
    const done = (): void => {
      this.queue.shift();
      this.handed(item);
      this.pump();
    };
    if (this.isKnown(item)) {
      metrics.duplicates++;
      done();
    } else {
      metrics.received++;
      this.handover.start(item.message, done);
    }
  }

  private handed({ epoch, message }: Item): void {
    const { session } = this.ctx;
    this.seen.add(message.msgId); // not before: what was not handed over must come again in the next process
    if (epoch === session.epoch && message.seq === (session.lastSeq ?? 0) + 1) session.lastSeq = message.seq;
    else if (epoch !== null) session.owed = paid(session.owed, epoch, message.seq - 1, message.seq);
    this.store();
    this.onHanded();
  }

  /** Stores where the app stands, and then acknowledges it; what happens meanwhile goes into the next write. */
  store(): void {
    const { timers } = this.ctx;
    if (this.ctx.isOpen()) timers.once('seen', SEEN_EVERY_MS, () => this.storeSeen());
    if (this.storing) return;
    this.storing = true;
    void Promise.resolve().then(() => this.write());
  }

  private async write(): Promise<void> {
    const { session, journal, timers } = this.ctx;
    const { era } = this;
    const { epoch, lastSeq, owed } = session;
    this.ctx.save();
    const written = await journal.written();
    this.storing = false;
    if (written && epoch === session.epoch && era === this.era) this.stored = Math.max(this.stored, lastSeq ?? 0);
    else if (!written && this.ctx.isOpen()) timers.once('ack-hold', HOLD_MS, () => this.giveIn());
    if (epoch !== session.epoch || lastSeq !== session.lastSeq || owed !== session.owed) this.store();
    this.acknowledge();
  }

  /** The known ids go into the store once a second at most, and at the end. */
  storeSeen(): void {
    this.ctx.timers.clear('seen');
    this.ctx.journal.put('seen', this.seen.list());
  }

  /** The store has failed for long enough: a full window would end the connection. */
  private giveIn(): void {
    this.stored = this.ctx.session.lastSeq ?? 0;
    this.acknowledge();
  }

  private acknowledge(): void {
    const { timers } = this.ctx;
    const open = Math.min(this.stored, this.arrived) - this.acked;
    if (open <= 0 || !this.ctx.isOnline()) return;
    if (this.queue.length === 0 || open >= ACK_EVERY) this.sendAck();
    else timers.once('ack', ACK_AFTER_MS, () => this.sendAck());
  }

  /** Acknowledges at once what may be. */
  sendAck(): void {
    this.ctx.timers.clear('ack');
    const seq = Math.min(this.stored, this.arrived);
    if (seq <= this.acked || !this.ctx.isOnline()) return;
    this.acked = seq;
    this.ctx.send({ type: 'ack', seq });
  }
}
