import { Dedup } from '../pure/dedup.js';
import type { ChannelEvent, Subscribed } from '../types.js';
import type { Context } from './context.js';
import { Handover } from './handover.js';

export interface SubscribeOptions {
  /** At most so many events a second, 0.01 to 1000; for channels of mode `latest`. */
  maxRate?: number;
  /** Go on after this position instead of the last one that this client stored. */
  position?: string;
}

/** An event, what a new subscription said, or (null) only a position that holds once all before it was handed over. */
interface Item {
  event: ChannelEvent | null;
  told?: Subscribed | undefined;
  position: string;
  life: number;
}

class Subscription {
  maxRate: number | undefined;
  /** Of the last event whose handler was through. */
  position: string | null = null;
  /** Of the last event that came. */
  taken: string | null = null;
  /** Counts up where positions begin anew; older items no longer move the position. */
  life = 0;
  readonly queue: Item[] = [];
  pumping = false;
  /** Events are ignored until the server answers a new subscription. */
  deaf = false;
  /** The queue was full: unsubscribed until it is empty. */
  full = false;
  /** The server ended it, and it is tried again. */
  ended = false;
  failures = 0;
  /** The newest event is the value, also where its `msgId` is known. */
  latest?: boolean;
  constructor(
    readonly channel: string,
    readonly handover: Handover<'event'>,
  ) {}
}

const MOST_WAITING = 1000;
const STORE_EVERY_MS = 1000;
const MOST_POSITIONS = 1000;

/** The channels that the app subscribed to, where it stands in each, and their events in order. */
export class Channels {
  private readonly subscriptions = new Map<string, Subscription>();
  private positions = new Map<string, string>();
  private readonly seen = new Dedup(1000);

  constructor(private readonly ctx: Context) {}

  /** Positions from the store; those of subscriptions made before are taken over. False where some are none. */
  load(row: unknown): boolean {
    const isObject = typeof row === 'object' && row !== null;
    const stored = Object.entries(isObject ? row : {});
    this.positions = new Map(stored.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
    for (const sub of this.subscriptions.values()) {
      if (sub.position === null) sub.position = sub.taken = this.positions.get(sub.channel) ?? null;
    }
    return isObject && this.positions.size === stored.length;
  }

  subscribe(channel: string, options: SubscribeOptions = {}): void {
    let sub = this.subscriptions.get(channel);
    if (!sub) {
      sub = new Subscription(channel, new Handover('event', this.ctx, `event:${channel}`));
      sub.position = sub.taken = this.positions.get(channel) ?? null;
      this.subscriptions.set(channel, sub);
    }
    sub.maxRate = options.maxRate;
    if (options.position !== undefined) {
      sub.position = sub.taken = options.position;
      sub.life++;
      sub.deaf = this.ctx.isOnline();
      sub.queue.length = sub.handover.busy ? 1 : 0;
    }
    this.ask([sub]);
  }

  unsubscribe(name: string): void {
    if (!this.drop(name)) return;
    this.positions.delete(name);
    this.storeSoon();
    if (this.ctx.isOnline()) this.ctx.send({ type: 'unsubscribe', channel: name });
  }

  private drop(name: string): boolean {
    this.subscriptions.get(name)?.handover.drop();
    return this.subscriptions.delete(name);
  }

  /** What the hello, or a frame of its own, asks for. */
  wanted(): object[] {
    return [...this.subscriptions.values()].filter((sub) => !sub.full).map((sub) => this.request(sub));
  }

  /** The connection ended; the next hello asks for all again. */
  stop(): void {
    this.ctx.timers.clear('channels');
    for (const sub of this.subscriptions.values()) {
      sub.ended = sub.deaf = false;
      if (sub.queue.length === 0) sub.full = false;
    }
  }

  subscribed(frame: Subscribed & { mode?: string }): void {
    const sub = this.subscriptions.get(frame.channel);
    if (!sub) return;
    sub.deaf = sub.ended = false;
    sub.failures = 0;
    sub.latest = frame.mode === 'latest';
    if (!frame.recovered) {
      sub.life++;
      sub.taken = null;
    }
    const { channel, position, recovered, reason } = frame;
    const told = { channel, position, recovered, ...(reason && { reason }) };
    // in its place among the events: what came before it is handed over before
    this.reach(sub, sub.taken ?? position, told);
  }

  event(event: ChannelEvent): void {
    const sub = this.subscriptions.get(event.channel);
    if (!sub || sub.deaf || sub.full) return;
    if (sub.taken !== null && event.position <= sub.taken) return void this.ctx.recorder.metrics.duplicates++;
    sub.taken = event.position;
    sub.queue.push({ event, position: event.position, life: sub.life });
    if (sub.queue.length > MOST_WAITING) this.overrun(sub);
    this.pump(sub);
  }

  progress(frame: { channel: string; position: string }): void {
    const sub = this.subscriptions.get(frame.channel);
    if (sub && !sub.deaf && !sub.full && !(sub.taken !== null && frame.position <= sub.taken)) {
      this.reach(sub, frame.position);
    }
  }

  unsubscribed(channel: string): void {
    if (this.subscriptions.has(channel)) return; // asked for again meanwhile, or ended by a full queue
    this.ctx.listeners.emit('unsubscribed', { channel, reason: 'asked', retrying: false });
  }

  /** The server ended or refused a subscription. */
  refused(channel: string, reason: string, retryable: boolean, retryAfterMs?: number): void {
    const sub = this.subscriptions.get(channel);
    if (!sub) return;
    this.ctx.listeners.emit('unsubscribed', { channel, reason, retrying: retryable });
    if (!retryable) {
      this.drop(channel);
      return;
    }
    sub.ended = true;
    const { ctx } = this;
    const delay = ctx.delay(sub.failures++, retryAfterMs);
    ctx.timers.once('channels', delay, () => this.ask([...this.subscriptions.values()].filter((one) => one.ended)));
  }

  /** Hands over what waits in all channels. */
  pumpAll(): void {
    for (const sub of this.subscriptions.values()) this.pump(sub);
  }

  /** Positions go into the store now; not before those that are there were read. */
  store(): void {
    this.ctx.timers.clear('positions');
    if (!this.ctx.session.clientId) return;
    this.ctx.journal.put('channels', Object.fromEntries([...this.positions].slice(-MOST_POSITIONS)));
  }

  private ask(subs: Subscription[]): void {
    if (!this.ctx.isOnline()) return;
    for (const sub of subs) if (!sub.full) this.ctx.send({ type: 'subscribe', ...this.request(sub) });
  }

  private request({ channel, position, maxRate }: Subscription): object {
    return { channel, position: position ?? undefined, maxRate }; // what is undefined is no JSON
  }

  /** More events came than the app takes: the server keeps the rest until the app is through with these. */
  private overrun(sub: Subscription): void {
    sub.full = true;
    this.ctx.recorder.tell('overrun', { reason: sub.channel });
    if (this.ctx.isOnline()) this.ctx.send({ type: 'unsubscribe', channel: sub.channel });
  }

  private reach(sub: Subscription, position: string, told?: Subscribed): void {
    sub.taken = position;
    sub.queue.push({ event: null, told, position, life: sub.life });
    this.pump(sub);
  }

  private pump(sub: Subscription): void {
    const { ctx } = this;
    if (sub.pumping) return;
    sub.pumping = true;
    sub.handover.go();
    for (;;) {
      ctx.listeners.flush(); // what was told before comes before
      const item = sub.queue[0];
      if (!item || sub.handover.busy || !this.isWanted(sub)) break;
      const { event } = item;
      if (event && !(ctx.isOpen() && ctx.listeners.has('event'))) break;
      if (!event || this.isKnown(event)) this.handed(sub, item);
      else
        sub.handover.start(event, () => {
          if (event.msgId && !sub.latest) this.seen.add(event.msgId + event.channel);
          this.handed(sub, item);
          this.pump(sub);
        });
    }
    sub.pumping = false;
    if (sub.full && sub.queue.length === 0 && this.isWanted(sub)) {
      sub.full = false;
      sub.deaf = ctx.isOnline();
      this.ask([sub]);
    }
  }

  /** It was handed over under another position. */
  private isKnown({ msgId, channel }: ChannelEvent): boolean {
    const known = this.seen.has(msgId + channel);
    if (known) this.ctx.recorder.metrics.duplicates++;
    return known;
  }

  private handed(sub: Subscription, item: Item): void {
    if (sub.queue[0] === item) sub.queue.shift();
    if (item.told) this.ctx.listeners.emit('subscribed', item.told);
    if (item.life !== sub.life || !this.isWanted(sub)) return;
    sub.position = item.position;
    this.positions.delete(sub.channel);
    this.positions.set(sub.channel, item.position);
    this.storeSoon();
  }

  private isWanted(sub: Subscription): boolean {
    return this.subscriptions.get(sub.channel) === sub;
  }

  private storeSoon(): void {
    if (this.ctx.isOpen()) this.ctx.timers.once('positions', STORE_EVERY_MS, () => this.store());
  }
}
